// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esVsCertificate = Rule{
	ID:          "es-vs-certificate",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "cert-manager issues into the Secret that an ExternalSecret writes. Both watch it, so they rewrite each other without end.",
	Remedy:      "Keep one of the two, or give them different names.",
	Source:      "https://github.com/cert-manager/website/issues/2128",
	Check:       checkESVsCertificate,
}

func checkESVsCertificate(in Input) []finding.Finding {
	return in.againstKind("cert-manager and the operator rewrite each other", "Certificate", "Ingress", "Gateway")
}
