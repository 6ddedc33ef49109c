// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

func base() Finding {
	return Finding{
		Rule: "store-missing", Severity: secretsv1.SeverityError, Gate: secretsv1.GateDeclaration,
		Object: secretsv1.ObjectReference{APIVersion: "external-secrets.io/v1", Kind: "ExternalSecret", Namespace: "shop", Name: "db"},
		Path:   "/spec", Message: "m", Evidence: "8c1f",
	}
}

func TestFingerprint(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(*Finding)
		same   bool
	}{
		"Message":  {"wording is not the fault", func(f *Finding) { f.Message = "n" }, true},
		"Severity": {"a policy may change it", func(f *Finding) { f.Severity = secretsv1.SeverityWarning }, true},
		"Version":  {"the same object in another version", func(f *Finding) { f.Object.APIVersion = "external-secrets.io/v1beta1" }, true},
		"Group":    {"another kind of object", func(f *Finding) { f.Object.APIVersion = "example.org/v1" }, false},
		"Name":     {"another object", func(f *Finding) { f.Object.Name = "x" }, false},
		"Path":     {"another place", func(f *Finding) { f.Path = "/x" }, false},
		"Evidence": {"a new value at the same place ends a waiver", func(f *Finding) { f.Evidence = "9d" }, false},
		"Shifted":  {"parts do not run together", func(f *Finding) { f.Path, f.Evidence = "/spec8", "c1f" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := base()
			tc.change(&f)
			if got := f.Fingerprint() == base().Fingerprint(); got != tc.same {
				t.Errorf("%s: same fingerprint: got %v, want %v", tc.reason, got, tc.same)
			}
		})
	}
}

func TestSortAndCount(t *testing.T) {
	var findings []Finding
	for _, severity := range []secretsv1.Severity{
		secretsv1.SeverityInfo, secretsv1.SeverityUnknown, secretsv1.SeverityError, secretsv1.SeverityWarning, secretsv1.SeverityError,
	} {
		f := base()
		f.Severity = severity
		findings = append(findings, f)
	}
	findings[2].Path = "/z"
	Sort(findings)
	var got []string
	for _, f := range findings {
		got = append(got, string(f.Severity)+f.Path)
	}
	want := []string{"Error/spec", "Error/z", "Warning/spec", "Unknown/spec", "Info/spec"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	counts := secretsv1.FindingCounts{Errors: 2, Warnings: 1, Infos: 1, Unknown: 1}
	if diff := cmp.Diff(counts, Count(findings)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
