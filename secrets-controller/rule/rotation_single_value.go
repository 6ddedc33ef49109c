// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rotationSingleValue = Rule{
	ID:          "rotation-single-value",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One key that several processes share is replaced at once: whoever still holds the old one fails until it has read the new one.",
	Remedy:      "Keep the old and the new key side by side for a while.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/6911",
	Check:       checkRotationSingleValue,
}

func checkRotationSingleValue(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if _, renewed := renewal(es.Spec); !renewed || len(in.consumersOf(secretName{es.Ref.Namespace, es.Target.Name})) < 2 {
			return nil
		}
		for i, item := range es.Data {
			if sharedKey.MatchString(item.Key) {
				return one(spot(es.Ref, es.Base.Child("data", i), "%s is shared by several workloads and replaced without overlap", item.Key))
			}
		}
		return nil
	})
}

var sharedKey = regexp.MustCompile(`(?i)(session|signing|encryption|cookie|jwt)[-_.]?(secret|key)`)
