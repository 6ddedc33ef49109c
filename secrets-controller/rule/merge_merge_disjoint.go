// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var mergeMergeDisjoint = Rule{
	ID:          "merge-merge-disjoint",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Several ExternalSecrets merge different keys into one Secret. That is allowed, and easily overlooked by who changes one of them.",
	Remedy:      "Nothing has to be done.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/918",
	Check:       checkMergeMergeDisjoint,
}

func checkMergeMergeDisjoint(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		if !adds(c.es.Target.Creation) || !adds(c.other.Policy) || c.other.Policy == "" {
			continue
		}
		mine := in.Declared.TargetKeys(c.es.Spec, c.es.Ref.Namespace)
		if !slices.ContainsFunc(mine.Known, func(key string) bool { return slices.Contains(c.other.Keys.Known, key) }) {
			out = append(out, spot(c.es.Ref, c.es.Target.At, "%s merges other keys into Secret %s", titleOf(c.other), c.es.Target.Name))
		}
	}
	return out
}
