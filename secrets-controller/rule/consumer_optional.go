// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var consumerOptional = Rule{
	ID:          "consumer-optional",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A reference that is marked optional has no producer in Git. The pod starts without it, which is what optional asks for.",
	Remedy:      "Remove the reference if nothing will ever produce the Secret.",
	Source:      "https://kubernetes.io/docs/concepts/configuration/secret/#restriction-secret-must-exist",
	Check:       checkConsumerOptional,
}

func checkConsumerOptional(in Input) []finding.Finding {
	var out []finding.Finding
	seen := map[declaration.Pointer]secretsv1.ObjectReference{}
	for _, ref := range in.Declared.References {
		if !ref.Optional || seen[ref.SecretAt] == ref.By {
			continue
		}
		f := finding.Finding{Object: ref.By, Path: string(ref.SecretAt)}
		switch in.resolve(ref).supply {
		case undeclared, elsewhere:
			f.Message = fmt.Sprintf("optional: nothing in Git produces Secret %s, read %s", ref.Secret, usage(ref))
		case keyMissing:
			f.Path = string(ref.KeyAt)
			f.Message = fmt.Sprintf("optional: nothing in Git writes key %s of Secret %s", ref.Key, ref.Secret)
		default:
			continue
		}
		seen[ref.SecretAt] = ref.By
		out = append(out, f)
	}
	return out
}
