// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var ingressTLSOldAnnotation = Rule{
	ID:          "ingress-tls-old-annotation",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The annotation belongs to cert-manager before 0.11; every release since ignores it, so nothing makes the TLS Secret.",
	Remedy:      "Rename the annotation.",
	Source:      "https://github.com/cert-manager/cert-manager/issues/1393",
	Check:       checkIngressTLSOldAnnotation,
}

func checkIngressTLSOldAnnotation(in Input) []finding.Finding {
	legacy := in.legacyIngresses()
	var out []finding.Finding
	for _, f := range in.dangling(declaration.UseIngressTLS) {
		old := legacy[f.Object]
		if old == "" || f.Severity == secretsv1.SeverityUnknown {
			continue
		}
		now := strings.Replace(old, "certmanager.k8s.io/", "cert-manager.io/", 1)
		f.Message += fmt.Sprintf("; the annotation %s is ignored by cert-manager since 0.11, which reads %s", old, now)
		out = append(out, f)
	}
	return out
}
