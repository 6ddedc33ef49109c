// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var prefixNotRewritten = Rule{
	ID:          "prefix-not-rewritten",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A prefix or suffix of a kustomization changed the name on one side only: the producer has it, and the consumer kept the old name, or the other way round.",
	Remedy:      "Set target.name, and tell kustomize of the field with a nameReference.",
	Source:      "https://github.com/kubernetes-sigs/kustomize/issues/6142",
	Check:       checkPrefixNotRewritten,
}

func checkPrefixNotRewritten(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		name, is := in.prefixedName(ref)
		if v := in.resolve(ref); !is || ref.Optional || v.supply != undeclared {
			continue
		}
		out = append(out, spot(ref.By, ref.SecretAt, "Secret %s is read %s, and what Git produces is %s: namePrefix or nameSuffix changed one side only", ref.Secret, usage(ref), name))
	}
	return out
}
