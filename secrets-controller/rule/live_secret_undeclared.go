// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveSecretUndeclared = Rule{
	ID:          "live-secret-undeclared",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret is in use and exists only in the cluster. It works until the namespace has to be built again.",
	Remedy:      "Move its value into the store and declare an ExternalSecret; a Secret made outside Git on purpose belongs into a SecretPolicy as an external producer.",
	Source:      "https://github.com/khuedoan/homelab/issues/46",
	Check:       checkLiveSecretUndeclared,
}

func checkLiveSecretUndeclared(in Input) []finding.Finding {
	var out []finding.Finding
	seen := map[secretName]bool{}
	for _, ref := range in.Declared.References {
		at := secretName{ref.Namespace, ref.Secret}
		if _, live := in.index.liveSecrets[at]; !live || seen[at] {
			continue
		}
		if supply := in.resolve(withoutKey(ref)).supply; supply != undeclared && supply != elsewhere {
			continue
		}
		seen[at] = true
		out = append(out, finding.Finding{
			Object:  secretsv1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: at.namespace, Name: at.name},
			Message: fmt.Sprintf("Secret %s is read by %s and exists in the cluster only: nothing in Git would bring it back", at.name, title(ref.By)),
		})
	}
	return out
}

func withoutKey(ref declaration.Reference) declaration.Reference {
	ref.Key = ""
	return ref
}
