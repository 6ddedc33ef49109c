// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var crdConsumers = Rule{
	ID:          "crd-consumers",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A custom resource names a Secret that nothing in Git produces. Which fields name one is a table here; operators differ in what they do without it.",
	Remedy:      "Declare what produces the Secret, or name it in a SecretPolicy.",
	Source:      "https://github.com/derailed/popeye/issues/578",
	Check:       checkCrdConsumers,
}

func checkCrdConsumers(in Input) []finding.Finding {
	return in.dangling(declaration.UseField)
}
