// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var defaultCredential = Rule{
	ID:          "default-credential",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A password that the software ships with would be applied: it is the first that anybody tries.",
	Remedy:      "Fetch a value of its own from a store.",
	Source:      "https://github.com/christianhuth/helm-charts/issues/2807",
	Check:       checkDefaultCredential,
}

func checkDefaultCredential(in Input) []finding.Finding {
	out := in.openedAs("default-credential", "a password that everybody knows would be applied")
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if leaf.Has(shape.DefaultCredential) && leaf.Stands() {
				out = append(out, leafFinding(secret.Ref, leaf, "key "+leaf.Key+" has a value that everybody knows, in the open"))
			}
		}
	}
	return out
}
