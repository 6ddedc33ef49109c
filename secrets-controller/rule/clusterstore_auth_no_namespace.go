// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var clusterstoreAuthNoNamespace = Rule{
	ID:          "clusterstore-auth-no-namespace",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ClusterSecretStore has no namespace of its own, so the selector of its credential has to name one. Some providers take an empty one for the namespace of each ExternalSecret; the others never become valid.",
	Remedy:      "Add the namespace to the selector.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2727",
	Check:       checkClusterstoreAuthNoNamespace,
}

func checkClusterstoreAuthNoNamespace(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		if store.Ref.Kind != declaration.ClusterSecretStoreKind {
			continue
		}
		for _, c := range store.Credentials {
			if c.Namespace != "" {
				continue
			}
			f := spot(store.Ref, c.At, "the selector of Secret %s names no namespace, and a cluster store has none", c.Name)
			if len(store.Providers) == 1 && referent[store.Providers[0]] {
				f = graded(f, secretsv1.SeverityWarning)
				f.Message = "the selector of Secret " + c.Name + " names no namespace: provider " + store.Providers[0] + " looks for it in the namespace of each ExternalSecret, if that is meant"
			}
			out = append(out, f)
		}
	}
	return out
}

// referent are providers that take the namespace of the ExternalSecret where
// a cluster store names none.
var referent = map[string]bool{
	"aws": true, "vault": true, "azurekv": true, "akeyless": true, "kubernetes": true, "gcpsm": true, "oracle": true,
	"gitlab": true, "conjur": true, "ibm": true, "doppler": true,
}
