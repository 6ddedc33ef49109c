// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var genericTargetLeaks = Rule{
	ID:          "generic-target-leaks",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "What is fetched is written to a kind that is no Secret: everybody who may read that kind reads it.",
	Remedy:      "Write a Secret, and let the consumer refer to it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4395",
	Check:       checkGenericTargetLeaks,
}

func checkGenericTargetLeaks(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if !es.Target.Generic || es.Target.GenericKind == "Secret" {
			return nil
		}
		for _, key := range in.Declared.TargetKeys(es.Spec, es.Ref.Namespace).Known {
			if shape.Announces(key) {
				return one(spot(es.Ref, es.Target.At.Child("manifest"), "key %s is written to a %s, which is not kept like a Secret", key, es.Target.GenericKind))
			}
		}
		return nil
	})
}
