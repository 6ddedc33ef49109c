// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var secretgeneratorLiteral = Rule{
	ID:          "secretgenerator-literal",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The secretGenerator of a kustomization takes the value from Git: the hash in the name hides nothing.",
	Remedy:      "Replace the value, and let an ExternalSecret, a SealedSecret or SOPS deliver the new one.",
	Source:      "https://github.com/kubernetes-sigs/kustomize/issues/1563",
	Check:       checkSecretgeneratorLiteral,
}

func checkSecretgeneratorLiteral(in Input) []finding.Finding {
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if g, is := in.generatedAt(secret, leaf); is && leaf.Stands() {
				out = append(out, leafFinding(secret.Ref, leaf, fmt.Sprintf("key %s is a literal of the secretGenerator (%s:%d)", leaf.Key, g.File, g.Line)))
			}
		}
	}
	return out
}
