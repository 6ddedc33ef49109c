// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var orphanNoHeal = Rule{
	ID:          "orphan-no-heal",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An Orphan that somebody deletes is made again at the next refresh only; with an interval of 0, never.",
	Remedy:      "Use Owner, or a short interval.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4297",
	Check:       checkOrphanNoHeal,
}

func checkOrphanNoHeal(in Input) []finding.Finding {
	const late = 12 * time.Hour
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if es.Target.Creation != declaration.CreationOrphan {
			return nil
		}
		interval, renewed := renewal(es.Spec)
		if renewed && interval < late {
			return nil
		}
		after := "never"
		if renewed {
			after = "only after " + interval.String()
		}
		return one(spot(es.Ref, es.Target.At.Child("creationPolicy"), "Secret %s, if it is deleted, is made again %s", es.Target.Name, after))
	})
}
