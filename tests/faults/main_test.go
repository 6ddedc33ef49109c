// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// between is what stands between the two controllers, and clock what the
// drift-controller's clock is off by.
var (
	between *proxy
	clock   *offset
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "holdfast-faults-")
	if err == nil {
		between, err = startProxy()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "preparing the faults:", err)
		os.Exit(1)
	}
	clock = &offset{path: filepath.Join(dir, "clock")}
	lab.MainWith(m, "faults", lab.Options{
		Tags: "faults", // whose clock can be wrong
		Flags: map[string][]string{
			holdfast.Source: {"--storage-addr=" + between.behind, "--storage-adv-addr=" + between.address},
		},
		Env: map[string][]string{holdfast.Drift: {"HOLDFAST_FAULTS_CLOCK=" + clock.path}},
	})
}

// must fails a test that could not be set up.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
