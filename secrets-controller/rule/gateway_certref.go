// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var gatewayCertRef = Rule{
	ID:          "gateway-certref",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A listener names a certificate Secret that nothing in Git produces.",
	Remedy:      "Declare a Certificate, or annotate the Gateway with its issuer.",
	Source:      "https://github.com/cert-manager/cert-manager/issues/5610",
	Check:       checkGatewayCertRef,
}

func checkGatewayCertRef(in Input) []finding.Finding {
	return in.dangling(declaration.UseGatewayTLS)
}
