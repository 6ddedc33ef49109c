// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplEngineV1 = Rule{
	ID:          "tpl-engine-v1",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The first template engine left the schema with ESO 0.16.",
	Remedy:      "Write engineVersion: v2, and replace functions of the old engine.",
	Source:      "https://external-secrets.io/latest/guides/templating/",
	Check:       checkTplEngineV1,
}

func checkTplEngineV1(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		if template := b.Target.Template; template != nil && template.Engine == "v1" {
			out = append(out, finding.Finding{
				Object: b.ref, Path: string(template.At.Child("engineVersion")),
				Message: "template engine v1 was removed with ESO 0.16; v2 is the only one",
			})
		}
	}
	return out
}
