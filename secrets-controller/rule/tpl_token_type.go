// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplTokenType = Rule{
	ID:          "tpl-token-type",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A template may not mint tokens: the operator refuses a service account token with the account's annotation, and bootstrap tokens always.",
	Remedy:      "Request the token where it is used.",
	Source:      "https://github.com/external-secrets/external-secrets/releases",
	Check:       checkTplTokenType,
}

func checkTplTokenType(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		t := b.Target.Template
		if t == nil {
			return nil
		}
		account := slices.ContainsFunc(t.Metadata, func(text declaration.TemplateText) bool {
			return text.Key == "annotations kubernetes.io/service-account.name"
		}) || slices.ContainsFunc(t.From, func(from declaration.TemplateFrom) bool { return from.Target == "Annotations" })
		if t.Type == "bootstrap.kubernetes.io/token" || t.Type == "kubernetes.io/service-account-token" && account {
			return one(spot(b.ref, t.At.Child("type"), "the operator refuses to write a Secret of type %s", t.Type))
		}
		return nil
	})
}
