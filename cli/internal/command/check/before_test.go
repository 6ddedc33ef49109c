// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/holdfast-gitops/holdfast/cli/internal/report"
)

func TestServerVersion(t *testing.T) {
	v := version.MustParseGeneric(newest)
	next := version.MajorMinor(v.Major(), v.Minor()+1).String()
	cases := map[string]struct {
		reason, text string
		want         report.CheckState
		says         string // what to do next
	}{
		"oldest":             {"the first that can hold observers to dry runs", "v" + oldest + ".0", report.Passed, ""},
		"newest":             {"what the tests run on", "v" + newest + ".9", report.Passed, ""},
		"with a suffix":      {"clouds add their own marks", "v" + newest + ".1-gke.1234", report.Passed, ""},
		"older":              {"observers could write", "v1.25.16", report.NotPassed, oldest},
		"newer":              {"nobody has tried it, and nothing says that it fails", "v" + next + ".0", report.Warned, newest},
		"newer, a candidate": {"as the release", "v" + next + ".0-rc.1", report.Warned, newest},
		"no version":         {"unknown is not good", "devel", report.NotKnown, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := serverVersion(tc.text, "https://cluster")
			if got.State != tc.want || !strings.Contains(got.Next, tc.says) || !strings.Contains(got.Message, tc.text) {
				t.Errorf("%s: want %v that says %q, got %+v", tc.reason, tc.want, tc.says, got)
			}
		})
	}
}
