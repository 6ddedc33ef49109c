// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var duplicateSecretKey = Rule{
	ID:          "duplicate-secret-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two data items write one key and the last one wins. The operator's own check looks only where deletionPolicy is Retain.",
	Remedy:      "Give each item a key of its own.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2921",
	Check:       checkDuplicateSecretKey,
}

func checkDuplicateSecretKey(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		first := map[string]int{}
		for i, item := range b.Data {
			if item.Key == "" {
				continue
			}
			if earlier, taken := first[item.Key]; taken {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(item.At.Child("secretKey")),
					Message: fmt.Sprintf("duplicate secretKey %s: data %d writes it already, and the last one wins silently", item.Key, earlier),
				})
				continue
			}
			first[item.Key] = i
		}
	}
	return out
}
