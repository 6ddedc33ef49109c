// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/holdfast-gitops/holdfast/secrets-controller/casefile"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// cases are those of the project or, with CASES set, of any other folder.
func cases(t *testing.T) []casefile.Case {
	t.Helper()
	root := os.Getenv("CASES")
	if root == "" {
		root = "../testdata/cases"
	}
	all, err := casefile.LoadAll(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func run(t *testing.T, c casefile.Case, manifests []byte) []finding.Finding {
	t.Helper()
	in, err := c.Input(manifests)
	if err != nil {
		t.Fatal(err)
	}
	return rule.Run(in).Findings
}

// TestCases demands that every case is right whose rules are all there. Cases
// for rules to come are listed and not judged; the project keeps none of them.
func TestCases(t *testing.T) {
	right, later := 0, 0
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			problems := c.Compare(run(t, c, c.Manifests))
			if missing := c.Missing(); len(missing) > 0 {
				later++
				t.Logf("%s is not judged: missing %v (%d mismatches)", c.Name, missing, len(problems))
				if os.Getenv("CASES") == "" {
					t.Error("a case of the project needs a rule that does not exist")
				}
				return
			}
			for _, problem := range problems {
				t.Error(problem)
			}
			if len(problems) == 0 {
				right++
				t.Logf("%s is right", c.Name)
			}
		})
	}
	t.Logf("%d cases are right, %d wait for rules to come", right, later)
}

// TestMaskedCases demands the same findings from manifests as the
// drift-controller serves them, with the values of Secrets masked.
func TestMaskedCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			masked, err := maskSecrets(c.Manifests)
			if err != nil {
				t.Fatal(err)
			}
			evidence := cmpopts.IgnoreFields(finding.Finding{}, "Evidence")
			if diff := cmp.Diff(run(t, c, c.Manifests), run(t, c, masked), evidence); diff != "" {
				t.Errorf("-raw +masked\n%s", diff)
			}
		})
	}
}

func TestCompareSeesWhatIsWrong(t *testing.T) {
	c := cases(t)[0]
	if len(c.Expect.Findings) == 0 {
		t.Fatalf("case %s expects nothing: choose another", c.Name)
	}
	right := run(t, c, c.Manifests)
	for name, tc := range map[string]struct {
		reason string
		got    []finding.Finding
	}{
		"missing":        {"the finding did not come", nil},
		"other object":   {"it is about something else", changed(right, func(f *finding.Finding) { f.Object.Name = "x" })},
		"other severity": {"it is a warning", changed(right, func(f *finding.Finding) { f.Severity = "Warning" })},
		"other gate":     {"it closes the other gate", changed(right, func(f *finding.Finding) { f.Gate = "Readiness" })},
		"other path":     {"it points elsewhere", changed(right, func(f *finding.Finding) { f.Path = "/spec/other" })},
		"other words":    {"it does not say what it must", changed(right, func(f *finding.Finding) { f.Message = "no" })},
		"one too many":   {"an error of another rule came too", append(changed(right, func(f *finding.Finding) { f.Rule = "x" }), right...)},
	} {
		t.Run(name, func(t *testing.T) {
			if problems := c.Compare(tc.got); len(problems) == 0 {
				t.Errorf("%s: want a problem, got none", tc.reason)
			}
		})
	}
}

func changed(findings []finding.Finding, change func(*finding.Finding)) []finding.Finding {
	out := append([]finding.Finding(nil), findings...)
	for i := range out {
		change(&out[i])
	}
	return out
}

func TestCompareSeesLeaks(t *testing.T) {
	c := casefile.Case{
		Manifests: []byte("kind: Secret\ndata: {password: Zx81Spectrum}"),
		Expect:    casefile.Expect{Redact: []string{"Zx81Spectrum"}},
	}
	for message, want := range map[string]bool{
		"the value is Zx81Spectrum": true,
		"it contains ectr":          true,
		"key password of a Secret":  false,
	} {
		got := len(c.Compare([]finding.Finding{{Severity: "Info", Message: message}})) > 0
		if got != want {
			t.Errorf("%q: leak seen: got %v, want %v", message, got, want)
		}
	}
}

func ExampleLoadAll() {
	all, err := casefile.LoadAll(os.DirFS("testdata/empty"))
	fmt.Println(len(all), err != nil)
	// Output: 0 true
}
