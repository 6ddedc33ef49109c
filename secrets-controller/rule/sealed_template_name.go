// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedTemplateName = Rule{
	ID:          "sealed-template-name",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template names another Secret than the SealedSecret: the controller uses the name of the SealedSecret.",
	Remedy:      "Remove the name from the template.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/643",
	Check:       checkSealedTemplateName,
}

func checkSealedTemplateName(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		if sealed.TemplateName != "" && sealed.TemplateName != sealed.Ref.Name {
			out = append(out, spot(sealed.Ref, "/spec/template/metadata/name", "the template says %s, and the Secret will be %s", sealed.TemplateName, sealed.Ref.Name))
		}
		if sealed.TemplateNamespace != "" && sealed.TemplateNamespace != sealed.Ref.Namespace {
			out = append(out, spot(sealed.Ref, "/spec/template/metadata/namespace", "the template says namespace %s, and the Secret will be in %s", sealed.TemplateNamespace, sealed.Ref.Namespace))
		}
	}
	return out
}
