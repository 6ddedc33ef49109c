// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import "fmt"

func ingress(secret, annotation string) string {
	return fmt.Sprintf("---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop, annotations: {%s}}\nspec: {tls: [{hosts: [a.example], secretName: %s}]}\n",
		annotation, secret)
}

func gateway(annotation, refs string) string {
	return fmt.Sprintf("---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: gw, namespace: shop, annotations: {%s}}\nspec: {listeners: [{name: https, tls: {certificateRefs: [%s]}}]}\n",
		annotation, refs)
}

const (
	tlsAt  = "/spec/tls/0/secretName"
	certAt = "/spec/listeners/0/tls/certificateRefs/0/name"
	grant  = "---\napiVersion: gateway.networking.k8s.io/v1beta1\nkind: ReferenceGrant\nmetadata: {name: g, namespace: certs}\n" +
		"spec: {from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: shop}], to: [{group: \"\", kind: Secret, name: wild}]}\n"
	wildcard = "---\napiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: wild, namespace: certs}\nspec: {secretName: wild}\n"
)

var tlsExamples = examples{
	"ingress-tls-undeclared": {
		{reason: "nobody makes it", git: ingress("web-tls", "a: b"),
			want: []string{"Error Ingress shop/web " + tlsAt}},
		{reason: "an issuer annotation makes cert-manager make it", git: ingress("web-tls", "cert-manager.io/cluster-issuer: acme")},
		{reason: "a Certificate makes it", git: certificate("c", "web-tls") + ingress("web-tls", "a: b")},
		{reason: "an entry without a name uses the controller's default",
			git: object("networking.k8s.io/v1", "Ingress", "web", "spec: {tls: [{hosts: [a.example]}]}")},
		{reason: "the old annotation has a rule of its own", git: ingress("web-tls", "certmanager.k8s.io/issuer: ca")},
	},
	"ingress-tls-old-annotation": {
		{reason: "ignored since cert-manager 0.11", git: ingress("web-tls", "certmanager.k8s.io/cluster-issuer: acme"),
			want: []string{"Error Ingress shop/web " + tlsAt}},
		{reason: "left over beside a Certificate", git: certificate("c", "web-tls") + ingress("web-tls", "certmanager.k8s.io/cluster-issuer: acme")},
	},
	"gateway-certref": {
		{reason: "nobody makes it", git: gateway("a: b", "{name: gw-tls}"),
			want: []string{"Error Gateway shop/gw " + certAt}},
		{reason: "annotated", git: gateway("cert-manager.io/issuer: ca", "{name: gw-tls}")},
		{reason: "no Secret is meant", git: gateway("a: b", "{group: example.org, kind: Vault, name: gw-tls}")},
	},
	"gateway-certref-cross-ns": {
		{reason: "the Secret's namespace is declared here and grants nothing", git: wildcard + gateway("a: b", "{name: wild, namespace: certs}"),
			want: []string{"Error Gateway shop/gw " + certAt}},
		{reason: "the namespace is declared elsewhere, and so may be the grant", git: gateway("a: b", "{name: wild, namespace: certs}"),
			want: []string{"Unknown Gateway shop/gw " + certAt}},
		{reason: "granted", git: wildcard + grant + gateway("a: b", "{name: wild, namespace: certs}")},
		{reason: "its own namespace", git: gateway("a: b", "{name: wild}")},
	},
}
