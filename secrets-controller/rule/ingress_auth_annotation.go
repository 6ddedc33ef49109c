// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var ingressAuthAnnotation = Rule{
	ID:          "ingress-auth-annotation",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An annotation of the Ingress names a Secret for authentication that nothing in Git produces: the controller answers every request with an error.",
	Remedy:      "Declare what produces the Secret.",
	Source:      "https://github.com/kubernetes/ingress-nginx/issues/4979",
	Check:       checkIngressAuthAnnotation,
}

func checkIngressAuthAnnotation(in Input) []finding.Finding {
	return in.dangling(declaration.UseIngressAuth)
}
