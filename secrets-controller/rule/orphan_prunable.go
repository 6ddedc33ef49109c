// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var orphanPrunable = Rule{
	ID:          "orphan-prunable",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An Orphan has no owner reference, and without a template the labels of the ExternalSecret go onto the Secret, those by which a GitOps tool finds its objects too: it takes the Secret for a leftover and prunes it.",
	Remedy:      "Use Owner, or give the target a template, so that its labels are not copied.",
	Source:      "https://github.com/redhat-appstudio/infra-deployments/issues/3472",
	Check:       checkOrphanPrunable,
}

func checkOrphanPrunable(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		label := copiesLabel(es)
		if es.Target.Creation != declaration.CreationOrphan || label == "" || !in.prunes() {
			return nil
		}
		f := spot(es.Ref, es.Target.At.Child("creationPolicy"), "an Orphan with label %s copied onto it is taken for a leftover: prune deletes it", label)
		if in.Scope.GitOps.TracksByLabel {
			f = graded(f, secretsv1.SeverityError)
		}
		return one(f)
	})
}
