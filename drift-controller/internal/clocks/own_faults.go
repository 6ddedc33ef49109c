// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build faults

package clocks

import (
	"os"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// Own is a clock that is off by what a file says, and that jumps when the file
// changes. No release is built with it.
func Own() clock.PassiveClock { return wrong{path: os.Getenv("HOLDFAST_FAULTS_CLOCK")} }

type wrong struct{ path string }

// Now has no monotonic part: that would not jump.
func (w wrong) Now() time.Time {
	now := time.Now().Round(0)
	text, err := os.ReadFile(w.path)
	if err != nil {
		return now
	}
	by, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return now
	}
	return now.Add(by)
}

func (w wrong) Since(t time.Time) time.Duration { return w.Now().Sub(t) }
