// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

const (
	mergeIntoApp = "target: {name: app, creationPolicy: Merge}"
	targetAt     = "/spec/target/name"
)

func certificate(name, secret string) string {
	return object("cert-manager.io/v1", "Certificate", name, "spec: {secretName: "+secret+"}")
}

func sealed(name, body string) string {
	return object("bitnami.com/v1alpha1", "SealedSecret", name, "spec:\n"+indent(body, 2))
}

func gitSecret(name, body string) string { return object("v1", "Secret", name, body) }

func clusterES(namespaces string) string {
	return "---\napiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: pull}\n" +
		"spec: {namespaces: " + namespaces + ", externalSecretSpec: {target: {name: shared}, data: [{secretKey: a, remoteRef: {key: x}}]}}\n"
}

var ownershipExamples = examples{
	"two-owners-one-secret": {
		{reason: "both own app", git: fetching("a", "x", "target: {name: app}") + fetching("b", "y", "target: {name: app}"),
			want: []string{"Error ExternalSecret shop/a " + targetAt, "Error ExternalSecret shop/b " + targetAt}},
		{reason: "the other owner is declared by another Application", git: fetching("a", "x", "target: {name: app}"),
			change: neighbour("app", declaration.CreationOwner, "y"),
			want:   []string{"Error ExternalSecret shop/a " + targetAt}},
		{reason: "different targets", git: fetching("a", "x", "") + fetching("b", "y", "")},
		{reason: "None writes nothing", git: fetching("a", "x", "target: {name: app}") + fetching("b", "y", "target: {name: app, creationPolicy: None}")},
	},
	"orphan-orphan": {
		{reason: "each clears the other's keys",
			git:  fetching("a", "x", "target: {name: app, creationPolicy: Orphan}") + fetching("b", "y", "target: {name: app, creationPolicy: Orphan}"),
			want: []string{"Error ExternalSecret shop/a " + targetAt, "Error ExternalSecret shop/b " + targetAt}},
		{reason: "alone", git: fetching("a", "x", "target: {name: app, creationPolicy: Orphan}")},
	},
	"merge-onto-owned": {
		{reason: "the base belongs to another ExternalSecret", git: fetching("a", "x", "target: {name: app}") + fetching("b", "y", mergeIntoApp),
			want: []string{"Error ExternalSecret shop/b /spec/target"}},
		{reason: "the base is an orphan", git: fetching("a", "x", "target: {name: app, creationPolicy: Orphan}") + fetching("b", "y", mergeIntoApp)},
	},
	"merge-merge-same-key": {
		{reason: "both write x", git: fetching("a", "x", mergeIntoApp) + fetching("b", "x", mergeIntoApp),
			want: []string{"Error ExternalSecret shop/a /spec/data/0", "Error ExternalSecret shop/b /spec/data/0"}},
		{reason: "disjoint keys", git: fetching("a", "x", mergeIntoApp) + fetching("b", "y", mergeIntoApp)},
	},
	"es-vs-git-secret": {
		{reason: "Git holds the target", git: gitSecret("db", "stringData: {a: b}") + fetching("db", "x", ""),
			want: []string{"Error ExternalSecret shop/db " + targetAt}},
		{reason: "a base for Merge", git: gitSecret("app", "") + fetching("b", "y", mergeIntoApp)},
	},
	"es-vs-sealedsecret": {
		{reason: "both own db", git: sealed("db", "encryptedData: {a: x}") + fetching("db", "x", ""),
			want: []string{"Error ExternalSecret shop/db " + targetAt}},
		{reason: "different names", git: sealed("other", "encryptedData: {a: x}") + fetching("db", "x", "")},
	},
	"es-vs-certificate": {
		{reason: "cert-manager writes it too", git: certificate("c", "db") + fetching("db", "x", ""),
			want: []string{"Error ExternalSecret shop/db " + targetAt}},
		{reason: "so does an Ingress with an issuer", git: ingress("db", "cert-manager.io/issuer: ca") + fetching("db", "x", ""),
			want: []string{"Error ExternalSecret shop/db " + targetAt}},
		{reason: "an Ingress that only reads it", git: ingress("db", "a: b") + fetching("db", "x", "")},
	},
	"merge-no-base": {
		{reason: "nobody creates app", git: fetching("b", "y", mergeIntoApp),
			want: []string{"Error ExternalSecret shop/b /spec/target"}},
		{reason: "a second Merge creates nothing either", git: fetching("a", "x", mergeIntoApp) + fetching("b", "y", mergeIntoApp),
			want: []string{"Error ExternalSecret shop/a /spec/target", "Error ExternalSecret shop/b /spec/target"}},
		{reason: "a neighbour that could not be read may", git: fetching("b", "y", mergeIntoApp), change: unreadNeighbour,
			want: []string{"Unknown ExternalSecret shop/b /spec/target"}},
		{reason: "an empty shell in Git", git: gitSecret("app", "") + fetching("b", "y", mergeIntoApp)},
		{reason: "an operator, by policy", git: fetching("b", "y", mergeIntoApp), change: outside("app")},
		{reason: "CreateOrMerge creates it", git: fetching("b", "y", "target: {name: app, creationPolicy: CreateOrMerge}")},
	},
	"delete-needs-owner": {
		{reason: "Merge may not delete", git: fetching("b", "y", "target: {creationPolicy: Merge, deletionPolicy: Delete}"),
			want: []string{"Error ExternalSecret shop/b /spec/target/deletionPolicy"}},
		{reason: "the owner may", git: fetching("b", "y", "target: {deletionPolicy: Delete}")},
	},
	"delete-with-orphan": {
		{reason: "fails for good when the provider is empty", git: fetching("b", "y", "target: {creationPolicy: Orphan, deletionPolicy: Delete}"),
			want: []string{"Error ExternalSecret shop/b /spec/target/deletionPolicy"}},
		{reason: "Retain is the default", git: fetching("b", "y", "target: {creationPolicy: Orphan}")},
	},
	"deletion-merge-none": {
		{reason: "no Secret to take keys from", git: fetching("b", "y", "target: {creationPolicy: None, deletionPolicy: Merge}"),
			want: []string{"Error ExternalSecret shop/b /spec/target/deletionPolicy"}},
		{reason: "an owner", git: fetching("b", "y", "target: {deletionPolicy: Merge}")},
	},
	"ces-vs-es-name": {
		{reason: "the name is taken in a namespace that is selected", git: clusterES("[shop]") + fetching("pull", "x", ""),
			want: []string{"Error ClusterExternalSecret pull /spec/externalSecretName"}},
		{reason: "another namespace is selected", git: clusterES("[other]") + fetching("pull", "x", "")},
	},
	"reserved-target": {
		{reason: "Owner clears it", git: fetching("x", "x", "target: {name: argocd-secret}"),
			want: []string{"Error ExternalSecret shop/x " + targetAt}},
		{reason: "Merge adds to it", git: fetching("x", "x", "target: {name: argocd-secret, creationPolicy: Merge}"),
			want: []string{"Warning ExternalSecret shop/x " + targetAt}},
		{reason: "a name that only begins alike", git: fetching("x", "x", "target: {name: argocd-secret-oidc}")},
	},
	"selfheal-two-writers": {
		{reason: "another tool resets the base", git: gitSecret("app", "stringData: {x: y}") + fetching("b", "y", mergeIntoApp),
			change: func(in *rule.Input) { in.Scope.ForeignSelfHeal = true },
			want:   []string{"Error ExternalSecret shop/b /spec/target"}},
		{reason: "the base has no data to reset", git: gitSecret("app", "") + fetching("b", "y", mergeIntoApp),
			change: func(in *rule.Input) { in.Scope.ForeignSelfHeal = true }},
		{reason: "Holdfast leaves undeclared keys alone", git: gitSecret("app", "stringData: {x: y}") + fetching("b", "y", mergeIntoApp)},
	},
	"none-with-consumers": {
		{reason: "a workload reads what is never written", git: fetching("db", "y", "target: {creationPolicy: None}") + reads("db", "y"),
			want: []string{"Error ExternalSecret shop/db /spec/target/creationPolicy"}},
		{reason: "somebody else writes it", git: fetching("db", "y", "target: {creationPolicy: None}") + reads("db", "y"), change: outside("db")},
		{reason: "nobody reads it", git: fetching("db", "y", "target: {creationPolicy: None}")},
	},
}

var templateExamples = examples{
	"tpl-engine-v1": {
		{reason: "removed", git: fetching("db", "x", "target: {template: {engineVersion: v1}}"),
			want: []string{"Error ExternalSecret shop/db /spec/target/template/engineVersion"}},
		{reason: "v2", git: fetching("db", "x", "target: {template: {engineVersion: v2}}")},
		{reason: "the default", git: fetching("db", "x", "target: {template: {}}")},
	},
	"tpl-drops-keys": {
		{reason: "x is fetched, dropped and read", git: fetching("db", "x", `target: {template: {data: {dsn: "{{ .x }}"}}}`) + reads("db", "x"),
			want: []string{"Error ExternalSecret shop/db /spec/target/template"}},
		{reason: "mergePolicy Merge keeps it", git: fetching("db", "x", `target: {template: {mergePolicy: Merge, data: {dsn: "{{ .x }}"}}}`) + reads("db", "x")},
		{reason: "nobody reads it", git: fetching("db", "x", `target: {template: {data: {dsn: "{{ .x }}"}}}`) + reads("db", "dsn")},
		{reason: "a template without data drops nothing", git: fetching("db", "x", "target: {template: {type: Opaque}}") + reads("db", "x")},
	},
	"tpl-tls-keys": {
		{reason: "tls.key is missing", git: fetching("db", "x", `target: {template: {type: kubernetes.io/tls, data: {tls.crt: "{{ .x }}"}}}`),
			want: []string{"Error ExternalSecret shop/db /spec/target/template"}},
		{reason: "keys of an extract are not known", git: externalSecret("db", "target: {template: {type: kubernetes.io/tls}}\ndataFrom: [{extract: {key: a}}]")},
	},
	"tpl-dockerconfig": {
		{reason: "the leading dot is missing", git: fetching("db", "dockerconfigjson", "target: {template: {type: kubernetes.io/dockerconfigjson}}"),
			want: []string{"Error ExternalSecret shop/db /spec/target/template"}},
		{reason: "spelt right", git: fetching("db", ".dockerconfigjson", "target: {template: {type: kubernetes.io/dockerconfigjson}}")},
	},
	"tpl-basic-ssh-keys": {
		{reason: "no ssh-privatekey", git: fetching("db", "id_rsa", "target: {template: {type: kubernetes.io/ssh-auth}}"),
			want: []string{"Error ExternalSecret shop/db /spec/target/template"}},
		{reason: "one of the two is enough", git: fetching("db", "password", "target: {template: {type: kubernetes.io/basic-auth}}")},
	},
}
