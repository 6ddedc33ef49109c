// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var annotationLiteral = Rule{
	ID:          "annotation-literal",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An annotation or a label holds a secret: metadata is read by everybody who lists the object.",
	Remedy:      "Replace the value, and put it where only its reader can read it.",
	Source:      "https://github.com/kubernetes/kubernetes/issues/23564",
	Check:       checkAnnotationLiteral,
}

func checkAnnotationLiteral(in Input) []finding.Finding {
	return in.openedAs("annotation-literal", "metadata is no place for a secret")
}
