// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"flag"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/lab"
	"github.com/holdfast-gitops/holdfast/tests/script"
)

var update = flag.Bool("update", false, "write into the scripts what reports and statuses read like")

func TestMain(m *testing.M) { lab.Main(m, "scenario") }

func TestScenarios(t *testing.T) {
	script.Run(t, script.Options{Dir: ".", Update: *update})
}

// TestScenariosAlone: these stop the API server or a controller.
func TestScenariosAlone(t *testing.T) {
	script.Run(t, script.Options{Dir: "alone", Update: *update, OneByOne: true})
}
