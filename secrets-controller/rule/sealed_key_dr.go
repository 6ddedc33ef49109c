// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedKeyDr = Rule{
	ID:          "sealed-key-dr",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "SealedSecrets can be unsealed with the keys of this cluster's controller only: they are a root.",
	Remedy:      "Keep a backup of the sealing keys, and name them as a root in a SecretPolicy.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/262",
	Check:       checkSealedKeyDr,
}

func checkSealedKeyDr(in Input) []finding.Finding {
	if len(in.Declared.SealedSecrets) == 0 || in.namesRoot("sealed-secrets-key") {
		return nil
	}
	return one(spot(in.Declared.SealedSecrets[0].Ref, "", "the sealing keys of the cluster are a root that no policy names: without a backup nothing here can be unsealed elsewhere"))
}

// namesRoot says whether a policy names a producer whose name begins so.
func (in Input) namesRoot(prefix string) bool {
	return slices.ContainsFunc(in.Policy.Producers, func(p secretsv1.ExternalProducer) bool { return strings.HasPrefix(p.Name, prefix) })
}
