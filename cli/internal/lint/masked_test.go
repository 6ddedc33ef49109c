// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
	"github.com/holdfast-gitops/holdfast/secrets-controller/casefile"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// TestRealMaskChangesNoFinding: manifests as they stand in Git and as the
// drift-controller really serves them give the same findings. The two
// controllers share no code, so this stands where both are imported.
func TestRealMaskChangesNoFinding(t *testing.T) {
	all, err := casefile.LoadAll(os.DirFS("../../../secrets-controller/testdata/cases"))
	if err != nil {
		t.Fatal(err)
	}
	masked := 0
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			decoded, err := manifest.Decode("manifests.yaml", c.Manifests)
			if err != nil {
				t.Fatalf("the drift-controller refuses the case: %v", err)
			}
			objects := make([]*unstructured.Unstructured, len(decoded))
			for i, o := range decoded {
				objects[i] = o.Unstructured
			}
			served, err := rendered.Manifests(objects, mask.Scope{Key: mask.Key("0123456789abcdef0123456789abcdef")})
			if err != nil {
				t.Fatal(err)
			}
			evidence := cmpopts.IgnoreFields(finding.Finding{}, "Evidence")
			if diff := cmp.Diff(findings(t, c, c.Manifests), findings(t, c, served), evidence); diff != "" {
				t.Errorf("-raw +masked\n%s", diff)
			}
			masked++
		})
	}
	if masked == 0 {
		t.Error("no case was compared")
	}
}

func findings(t *testing.T, c casefile.Case, manifests []byte) []finding.Finding {
	t.Helper()
	in, err := c.Input(manifests)
	if err != nil {
		t.Fatal(err)
	}
	return rule.Run(in).Findings
}
