// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveCertNotReady = Rule{
	ID:          "live-cert-not-ready",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Certificate is not issued, so its TLS Secret is missing or old.",
	Remedy:      "Look at the status of the Certificate and its CertificateRequest.",
	Source:      "https://github.com/cert-manager/cert-manager/issues/992",
	Check:       checkLiveCertNotReady,
}

func checkLiveCertNotReady(in Input) []finding.Finding {
	var refs []secretsv1.ObjectReference
	for _, certificate := range in.Declared.Certificates {
		refs = append(refs, certificate.Ref)
	}
	return producersNotDone(refs, in.Live.Certificates, "Ready")
}
