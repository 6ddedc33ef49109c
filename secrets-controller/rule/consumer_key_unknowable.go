// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var consumerKeyUnknowable = Rule{
	ID:          "consumer-key-unknowable",
	Severity:    secretsv1.SeverityUnknown,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The keys of the Secret are decided outside Git (an extract, a find, a generator's answer), so whether the key that is read exists cannot be told from the declaration.",
	Remedy:      "Name the key under data, or in a template, and the contract can be checked.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4613",
	Check:       checkConsumerKeyUnknowable,
}

func checkConsumerKeyUnknowable(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		if ref.Optional {
			continue
		}
		v := in.resolve(ref)
		if v.supply != keyUncertain {
			continue
		}
		f := finding.Finding{
			Object: ref.By, Path: string(ref.KeyAt), Severity: secretsv1.SeverityUnknown,
			Message: fmt.Sprintf("whether key %s of Secret %s exists cannot be told from Git: %s", ref.Key, ref.Secret, v.reason),
		}
		if in.observed(ref) {
			f.Severity = secretsv1.SeverityInfo
			f.Message = fmt.Sprintf("key %s of Secret %s is observed in the cluster, and not declared: %s", ref.Key, ref.Secret, v.reason)
		}
		out = append(out, f)
	}
	return out
}

// observed says whether the live Secret shows the key.
func (in Input) observed(ref declaration.Reference) bool {
	secret, live := in.index.liveSecrets[secretName{ref.Namespace, ref.Secret}]
	return live && slices.Contains(secret.Keys, ref.Key)
}
