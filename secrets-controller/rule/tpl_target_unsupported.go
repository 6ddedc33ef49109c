// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var tplTargetUnsupported = Rule{
	ID:          "tpl-target-unsupported",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "templateFrom writes to Data, Annotations or Labels of a Secret; any other target is refused since ESO 2.9.",
	Remedy:      "Use one of the three.",
	Source:      "https://github.com/external-secrets/external-secrets/releases",
	Check:       checkTplTargetUnsupported,
}

func checkTplTargetUnsupported(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		if b.Target.Template == nil || b.Target.Generic {
			return nil
		}
		for _, from := range b.Target.Template.From {
			if from.Target == "Data" || from.Target == "Annotations" || from.Target == "Labels" {
				continue
			}
			f := spot(b.ref, from.At.Child("target"), "target %s is none of Data, Annotations and Labels", from.Target)
			if in.Scope.Operator.IsZero() || !in.Scope.Operator.Before(schema.Version{2, 9}) {
				f = graded(f, secretsv1.SeverityError)
			}
			out = append(out, f)
		}
		return out
	})
}
