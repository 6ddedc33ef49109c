// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var propertyDotted = Rule{
	ID:          "property-dotted",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A dot in a property is the syntax of a path for some providers.",
	Remedy:      "Escape the dot where it is a part of the name.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/963",
	Check:       checkPropertyDotted,
}

func checkPropertyDotted(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for _, item := range b.Data {
			if strings.Contains(item.Property, ".") && !strings.Contains(item.Property, `\.`) {
				out = append(out, spot(b.ref, item.Remote.At.Child("property"), "a dot in the property leads into the object for some providers"))
			}
		}
		return out
	})
}
