// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var immutableWithRefresh = Rule{
	ID:          "immutable-with-refresh",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The target is immutable and yet refreshed: a rotated value never arrives, and the status will not say so.",
	Remedy:      "Set refreshPolicy CreatedOnce, or leave immutable out.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3604",
	Check:       checkImmutableWithRefresh,
}

func checkImmutableWithRefresh(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if _, renewed := renewal(es.Spec); !es.Target.Immutable || !renewed {
			return nil
		}
		return one(spot(es.Ref, es.Target.At.Child("immutable"), "Secret %s is immutable and refreshed: a rotated value never arrives", es.Target.Name))
	})
}
