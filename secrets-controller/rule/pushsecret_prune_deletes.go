// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var pushsecretPruneDeletes = Rule{
	ID:          "pushsecret-prune-deletes",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "With deletionPolicy Delete the value in the store goes when the PushSecret goes: who removes the file deletes the value.",
	Remedy:      "Use None, unless that is meant.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5062",
	Check:       checkPushsecretPruneDeletes,
}

func checkPushsecretPruneDeletes(in Input) []finding.Finding {
	var out []finding.Finding
	for _, push := range in.Declared.PushSecrets {
		if push.Deletion == "Delete" {
			out = append(out, spot(push.Ref, "/spec/deletionPolicy", "removing this object from Git deletes the value in the store"))
		}
	}
	if in.Previous == nil {
		return out
	}
	for _, old := range in.Previous.PushSecrets {
		gone := !slices.ContainsFunc(in.Declared.PushSecrets, func(p declaration.PushSecret) bool { return sameObject(p.Ref, old.Ref) })
		if gone && old.Deletion == "Delete" {
			out = append(out, graded(spot(old.Ref, "", "the PushSecret is gone from Git, and with it goes the value in the store"), secretsv1.SeverityError))
		}
	}
	return out
}

func sameObject(a, b secretsv1.ObjectReference) bool {
	return a.Kind == b.Kind && a.Namespace == b.Namespace && a.Name == b.Name
}
