// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var selfHealTwoWriters = Rule{
	ID:          "selfheal-two-writers",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Git declares data of a Secret into which an ExternalSecret merges, and the tool that syncs resets the Secret as a whole: each undoes the other. Holdfast itself leaves keys alone that Git does not declare.",
	Remedy:      "Keep the Secret in Git without data, or exclude its data from the tool's comparison.",
	Source:      "https://github.com/argoproj/argo-cd/issues/9014",
	Check:       checkSelfHealTwoWriters,
}

func checkSelfHealTwoWriters(in Input) []finding.Finding {
	if !in.Scope.ForeignSelfHeal {
		return nil
	}
	var out []finding.Finding
	for _, c := range in.clashes() {
		if !adds(c.es.Target.Creation) || c.other.By.Kind != "Secret" || len(c.other.Keys.Known) == 0 {
			continue
		}
		out = append(out, finding.Finding{
			Object: c.es.Ref, Path: string(c.es.Target.At),
			Message: fmt.Sprintf("%s merges into Secret %s, whose data Git declares and self-heal resets", c.es.Target.Creation, c.es.Target.Name),
		})
	}
	return out
}
