// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var mergeBasePruned = Rule{
	ID:          "merge-base-pruned",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret into which keys are merged stands in Git without data. A tool that resets whole objects takes the merged keys out again.",
	Remedy:      "Exclude its data from the comparison of that tool.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1885",
	Check:       checkMergeBasePruned,
}

func checkMergeBasePruned(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		if adds(c.es.Target.Creation) && c.other.By.Kind == "Secret" && len(c.other.Keys.Known) == 0 && in.Scope.ForeignSelfHeal {
			out = append(out, spot(c.es.Ref, c.es.Target.At, "Secret %s stands in Git without data, and self-heal would remove the merged keys", c.es.Target.Name))
		}
	}
	return out
}
