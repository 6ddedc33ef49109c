// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Certificate is a cert-manager Certificate, which writes one Secret.
type Certificate struct {
	Ref secretsv1.ObjectReference
	// Secret is spec.secretName.
	Secret string
	Keys   Keys
}

func readCertificate(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	keys := issuedKeys()
	for _, store := range []struct{ field, suffix string }{{"jks", ".jks"}, {"pkcs12", ".p12"}} {
		if spec.get("keystores", store.field, "create").isTrue() {
			keys.add("keystore"+store.suffix, "truststore"+store.suffix)
		}
	}
	for _, format := range spec.get("additionalOutputFormats").items() {
		switch format.get("type").text() {
		case "CombinedPEM":
			keys.add("tls-combined.pem")
		case "DER":
			keys.add("key.der")
		}
	}
	s.Certificates = append(s.Certificates, Certificate{
		Ref: object.Ref, Secret: spec.get("secretName").text(), Keys: keys,
	})
}

// issuedKeys are the keys of every issued certificate. Whether there is a
// ca.crt is up to the issuer.
func issuedKeys() Keys {
	return Keys{Known: []string{"tls.crt", "tls.key"}, Maybe: []string{"ca.crt"}}
}

// readIssuer notes the account key that cert-manager makes by itself for an
// ACME issuer. A ClusterIssuer keeps it in cert-manager's own namespace, which
// Git does not show here.
func readIssuer(s *Set, object Object, _ Options) {
	name := object.root().get("spec", "acme", "privateKeySecretRef", "name").text()
	if name == "" {
		return
	}
	s.implied = append(s.implied, Production{
		By: object.Ref, Namespace: object.Ref.Namespace, Name: name,
		Creates: true, Keys: Keys{Known: []string{"tls.key"}},
	})
}

// issuerAnnotations make cert-manager's shim issue a certificate for each TLS
// entry of an Ingress or Gateway.
var issuerAnnotations = []string{"cert-manager.io/issuer", "cert-manager.io/cluster-issuer", "kubernetes.io/tls-acme"}

// legacyIssuerAnnotations were read before cert-manager 0.11 and are ignored
// by every release since.
var legacyIssuerAnnotations = []string{"certmanager.k8s.io/issuer", "certmanager.k8s.io/cluster-issuer"}

// shimmed says whether an object asks cert-manager for its certificates.
func shimmed(object Object) bool {
	annotations := object.root().get("metadata", "annotations")
	for _, key := range issuerAnnotations {
		if value := annotations.get(key).text(); value != "" && value != "false" {
			return true
		}
	}
	return false
}

func legacyAnnotation(object Object) string {
	annotations := object.root().get("metadata", "annotations")
	for _, key := range legacyIssuerAnnotations {
		if annotations.get(key).exists() {
			return key
		}
	}
	return ""
}

func impliedCertificate(object Object, namespace, secret string) Production {
	return Production{By: object.Ref, Namespace: namespace, Name: secret, Creates: true, Keys: issuedKeys()}
}
