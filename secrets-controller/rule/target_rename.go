// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var targetRename = Rule{
	ID:          "target-rename",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Under Owner a new target name deletes the old Secret in the same step. Who still reads the old name cannot start again.",
	Remedy:      "Let the consumers follow in the same commit, or keep the old name until they have.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1272",
	Check:       checkTargetRename,
}

func checkTargetRename(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		was, existed := in.before(es.Ref)
		if !existed || was.Target.Name == es.Target.Name || was.Target.Creation != declaration.CreationOwner {
			return nil
		}
		f := spot(es.Ref, es.Target.NameAt(), "the target is renamed from %s to %s: the old Secret is deleted at once", was.Target.Name, es.Target.Name)
		old := secretName{es.Ref.Namespace, was.Target.Name}
		if readers := in.consumersOf(old); len(readers) > 0 && !in.created(old) {
			f = graded(f, secretsv1.SeverityError)
			f.Message += ", and " + listed(readers) + " still reads it"
		}
		return one(f)
	})
}
