// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var ingressTLSUndeclared = Rule{
	ID:          "ingress-tls-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An Ingress names a TLS Secret that nothing in Git produces; the controller then serves a certificate of its own that no browser trusts.",
	Remedy:      "Declare a Certificate, or annotate the Ingress with cert-manager.io/cluster-issuer or cert-manager.io/issuer.",
	Source:      "https://github.com/kubernetes/ingress-nginx/issues/4979",
	Check:       checkIngressTLSUndeclared,
}

func checkIngressTLSUndeclared(in Input) []finding.Finding {
	legacy := in.legacyIngresses()
	return slices.DeleteFunc(in.dangling(declaration.UseIngressTLS), func(f finding.Finding) bool {
		// The old annotation is the more telling fault at the same place.
		return legacy[f.Object] != "" && f.Severity != secretsv1.SeverityUnknown
	})
}

// legacyIngresses are the Ingresses that ask a removed API of cert-manager.
func (in Input) legacyIngresses() map[secretsv1.ObjectReference]string {
	out := map[secretsv1.ObjectReference]string{}
	for _, ref := range in.Declared.References {
		if ref.Use == declaration.UseIngressTLS && ref.Legacy != "" {
			out[ref.By] = ref.Legacy
		}
	}
	return out
}
