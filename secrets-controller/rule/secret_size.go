// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var secretSize = Rule{
	ID:          "secret-size",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The texts of the template alone are larger than a Secret may be.",
	Remedy:      "Split the Secret, or mount a large text from elsewhere.",
	Source:      "https://kubernetes.io/docs/concepts/configuration/secret/",
	Check:       checkSecretSize,
}

func checkSecretSize(in Input) []finding.Finding {
	const limit = 1 << 20
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		size := 0
		if es.Target.Template != nil {
			for _, text := range es.Target.Template.Data {
				size += text.Size
			}
		}
		if size <= limit {
			return nil
		}
		return one(graded(spot(es.Ref, es.Target.At.Child("template"), "the template has %d bytes, and a Secret holds at most %d", size, limit), secretsv1.SeverityError))
	})
}
