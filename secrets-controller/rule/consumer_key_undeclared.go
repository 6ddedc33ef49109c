// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var consumerKeyUndeclared = Rule{
	ID:          "consumer-key-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret is declared, but none of its producers writes the key that a container reads: the container is not created.",
	Remedy:      "Correct the key, or let the producer write it.",
	Source:      "https://github.com/stackrox/kube-linter/issues/705",
	Check:       checkConsumerKeyUndeclared,
}

func checkConsumerKeyUndeclared(in Input) []finding.Finding {
	return in.missingKeys(declaration.UseEnv)
}

// missingKeys are the references of one use whose key nobody writes.
func (in Input) missingKeys(use declaration.Use) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		if ref.Use != use || ref.Optional || ref.Key == "" {
			continue
		}
		v := in.resolve(ref)
		if v.supply != keyMissing {
			continue
		}
		out = append(out, finding.Finding{
			Object: ref.By, Path: string(ref.KeyAt),
			Message: fmt.Sprintf("key %s of Secret %s is read, and %s writes only %s%s",
				ref.Key, ref.Secret, producersOf(v.by), listed(v.keys.Known), suggestion(ref.Key, v.keys.Known)),
		})
	}
	return out
}
