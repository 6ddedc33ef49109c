// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var trackingLabelCopied = Rule{
	ID:          "tracking-label-copied",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Without a template the labels of the ExternalSecret go onto its Secret, and with them the mark by which a GitOps tool or Helm finds its own objects.",
	Remedy:      "Give the target a template with the labels that are meant.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/68",
	Check:       checkTrackingLabelCopied,
}

func checkTrackingLabelCopied(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		label := copiesLabel(es)
		if label == "" || es.Target.Generic || in.Scope.GitOps.Tool == "" || es.Target.Creation == declaration.CreationOrphan && in.prunes() {
			return nil // with prune an Orphan is the fault of another rule
		}
		f := spot(es.Ref, declaration.Pointer("/metadata/labels").Child(label), "label %s is copied onto Secret %s", label, es.Target.Name)
		if in.Scope.GitOps.TracksByLabel && es.Target.Creation != declaration.CreationOwner {
			f = graded(f, secretsv1.SeverityError)
		}
		return one(f)
	})
}
