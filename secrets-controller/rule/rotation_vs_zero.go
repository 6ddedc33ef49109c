// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"regexp"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rotationVsZero = Rule{
	ID:          "rotation-vs-zero",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The object says that the value is rotated, and its policy never fetches it again.",
	Remedy:      "Set refreshPolicy Periodic with an interval.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4167",
	Check:       checkRotationVsZero,
}

func checkRotationVsZero(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if _, renewed := renewal(es.Spec); renewed {
			return nil
		}
		for _, key := range slices.Sorted(maps.Keys(es.Annotations)) {
			if rotates.MatchString(key) {
				return one(spot(es.Ref, es.RefreshInterval.At, "annotation %s speaks of rotation, and nothing fetches the value again", key))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(es.Labels)) {
			if rotates.MatchString(key) {
				return one(spot(es.Ref, es.RefreshInterval.At, "label %s speaks of rotation, and nothing fetches the value again", key))
			}
		}
		return nil
	})
}

var rotates = regexp.MustCompile(`(?i)(^|[/.-])rotat(e|ion)`)
