// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var conversionNoop = Rule{
	ID:          "conversion-noop",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "conversionStrategy renames the keys of extract and find. Under data the key is given, so the field does nothing.",
	Remedy:      "Remove the field.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkConversionNoop,
}

func checkConversionNoop(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for _, item := range b.Data {
			if item.Remote.Conversion != "" && item.Remote.Conversion != "Default" {
				out = append(out, spot(b.ref, item.Remote.At.Child("conversionStrategy"), "conversionStrategy does nothing under data"))
			}
		}
		return out
	})
}
