// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var declaredUnused = Rule{
	ID:          "declared-unused",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Nothing in this set reads the Secret. Its readers may be elsewhere.",
	Remedy:      "Remove the ExternalSecret if nobody needs it.",
	Source:      "https://github.com/derailed/popeye/issues/578",
	Check:       checkDeclaredUnused,
}

func checkDeclaredUnused(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		at := secretName{es.Ref.Namespace, es.Target.Name}
		if es.Target.Generic || es.Target.Creation == declaration.CreationNone || len(in.index.consumers[at]) > 0 || in.isCredential(at) {
			return nil
		}
		return one(spot(es.Ref, es.Target.NameAt(), "nothing in this set reads Secret %s", es.Target.Name))
	})
}

// isCredential says whether a declared store logs in with the Secret.
func (in Input) isCredential(at secretName) bool {
	return slices.ContainsFunc(in.credentials(), func(c credential) bool { return c.at() == at })
}
