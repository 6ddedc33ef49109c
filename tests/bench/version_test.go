// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkVersion measures what a person waits for the smallest verb: the start
// of the process and its command tree, without a cluster. Beside it stands the
// start of a program that does nothing, since a busy machine slows down both.
func BenchmarkVersion(b *testing.B) {
	const times = 40
	b.ReportMetric(median(b, times, "../../bin/holdfast", "version"), "ms/version")
	b.ReportMetric(median(b, times, "/bin/true"), "ms/nothing")
	b.ReportMetric(0, "ns/op")
}

// median of so many runs of a program, in milliseconds.
func median(b *testing.B, times int, program string, args ...string) float64 {
	b.Helper()
	took := make([]time.Duration, 0, times)
	for range times {
		began := time.Now()
		if out, err := exec.CommandContext(b.Context(), program, args...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", program, err, out)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return float64(took[times/2].Microseconds()) / 1000
}
