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

var mergeMergeSameKey = Rule{
	ID:          "merge-merge-same-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two ExternalSecrets merge the same key into one Secret and overwrite each other for ever.",
	Remedy:      "Let one of them write the key.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/918",
	Check:       checkMergeMergeSameKey,
}

func checkMergeMergeSameKey(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		if !adds(c.es.Target.Creation) || !adds(c.other.Policy) {
			continue
		}
		for _, key := range in.Declared.TargetKeys(c.es.Spec, c.es.Ref.Namespace).Known {
			if !slices.Contains(c.other.Keys.Known, key) {
				continue
			}
			out = append(out, finding.Finding{
				Object: c.es.Ref, Path: string(placeOfKey(c.es, key)),
				Message: fmt.Sprintf("key %s of Secret %s is written by %s as well: they overwrite each other", key, c.es.Target.Name, titleOf(c.other)),
			})
		}
	}
	return out
}

// placeOfKey points to the item that writes a key, or to the target.
func placeOfKey(es declaration.ExternalSecret, key string) declaration.Pointer {
	for _, item := range es.Data {
		if item.Key == key {
			return item.At
		}
	}
	return es.Target.At
}
