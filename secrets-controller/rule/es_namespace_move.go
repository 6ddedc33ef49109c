// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esNamespaceMove = Rule{
	ID:          "es-namespace-move",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The ExternalSecret moves to another namespace: there it is made anew, and here its Secret goes.",
	Remedy:      "Make sure that nobody reads it here any more.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4214",
	Check:       checkEsNamespaceMove,
}

func checkEsNamespaceMove(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil {
		return nil
	}
	for _, es := range in.Declared.ExternalSecrets {
		if _, existed := in.before(es.Ref); existed {
			continue
		}
		for _, old := range in.Previous.ExternalSecrets {
			if _, still := in.after(old.Ref); !still && old.Ref.Name == es.Ref.Name && old.Ref.Namespace != es.Ref.Namespace {
				out = append(out, spot(es.Ref, "/metadata/namespace", "the ExternalSecret moves from namespace %s: Secret %s goes there", old.Ref.Namespace, old.Target.Name))
			}
		}
	}
	return out
}
