// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esVsOperatorSecret = Rule{
	ID:          "es-vs-operator-secret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An operator writes the Secret by itself, and the ExternalSecret takes it over as a whole: each removes what the other wrote.",
	Remedy:      "Use creationPolicy Merge, or push the value the other way.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3817",
	Check:       checkEsVsOperatorSecret,
}

func checkEsVsOperatorSecret(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		at := secretName{es.Ref.Namespace, es.Target.Name}
		if !clearsOthers(es.Target.Creation) || es.Target.Generic || len(in.outside(at)) == 0 || in.isRoot(at) {
			return nil
		}
		return one(spot(es.Ref, es.Target.NameAt(), "Secret %s is made by something outside Git (%s), and %s would write it as a whole",
			at.name, producersOf(in.outside(at)), es.Target.Creation))
	})
}

// isRoot says whether people declared the Secret as a root: it has no keys, and
// no operator makes it.
func (in Input) isRoot(at secretName) bool {
	for _, production := range in.outside(at) {
		if production.Keys.Open != everyKey {
			return false
		}
	}
	return true
}
