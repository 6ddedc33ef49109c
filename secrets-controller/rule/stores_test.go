// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"strings"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// unlisted is a cluster whose stores may not be listed.
func unlisted(in *rule.Input) {
	in.Scope.StoresComplete = false
	in.Live.Stores = rule.Seen[declaration.StoreState]{Reason: "listing secretstores: Forbidden"}
}

func fetchingFrom(ref string) string {
	return externalSecret("db", "secretStoreRef: "+ref+"\ndata: [{secretKey: a, remoteRef: {key: x}}]")
}

func storeStatus(status string) string {
	return strings.TrimRight(store("vault"), "\n") + "\nstatus: {conditions: [{type: Ready, " + status + "}]}\n"
}

// loginStore is a store that logs in with a key of Secret login.
func loginStore(key string) string {
	return object("external-secrets.io/v1", "SecretStore", "vault",
		"spec: {provider: {vault: {auth: {tokenSecretRef: {name: login, key: "+key+"}}}}}")
}

var storeExamples = examples{
	"store-ref-empty": {
		{reason: "no store for the only item", git: externalSecret("db", "data: [{secretKey: a, remoteRef: {key: x}}]"),
			want: []string{"Error ExternalSecret shop/db /spec"}},
		{reason: "one of two items has no source",
			git:  externalSecret("db", "data: [{secretKey: a, remoteRef: {key: x}, sourceRef: {storeRef: {name: s}}}]\ndataFrom: [{extract: {key: x}}]"),
			want: []string{"Error ExternalSecret shop/db /spec"}},
		{reason: "each item has its own", git: externalSecret("db", "data: [{secretKey: a, remoteRef: {key: x}, sourceRef: {storeRef: {name: s}}}]\ndataFrom: [{sourceRef: {generatorRef: {kind: UUID, name: u}}}]")},
		{reason: "named", git: fetchingFrom("{name: vault}")},
	},
	"store-missing": {
		{reason: "nowhere", git: store("vault") + fetchingFrom("{name: vualt}"),
			want: []string{"Error ExternalSecret shop/db /spec/secretStoreRef/name"}},
		{reason: "an item's own store is nowhere", git: externalSecret("db", "data: [{secretKey: a, remoteRef: {key: x}, sourceRef: {storeRef: {name: s}}}]"),
			want: []string{"Error ExternalSecret shop/db /spec/data/0/sourceRef/storeRef/name"}},
		{reason: "not in Git, and the cluster's stores may not be listed", git: fetchingFrom("{name: vault}"), change: unlisted,
			want: []string{"Unknown ExternalSecret shop/db /spec/secretStoreRef/name"}},
		{reason: "not in Git, and a neighbour of the namespace could not be read", git: fetchingFrom("{name: vault}"),
			change: func(in *rule.Input) {
				in.Neighbours.Unread = []rule.UnreadNeighbour{{Application: "shop/platform", Namespace: "shop", Reason: "no artifact"}}
			},
			want: []string{"Unknown ExternalSecret shop/db /spec/secretStoreRef/name"}},
		{reason: "in Git, whatever the cluster shows", git: store("vault") + fetchingFrom("{name: vault}"), change: unlisted},
		{reason: "only in the cluster", git: fetchingFrom("{name: vault}"), live: store("vault")},
		{reason: "declared by another Application", git: fetchingFrom("{name: vault, kind: ClusterSecretStore}"),
			change: func(in *rule.Input) {
				in.Neighbours.Stores = []declaration.Store{{Ref: ref("ClusterSecretStore", "", "vault")}}
			}},
	},
	"store-kind-mismatch": {
		{reason: "kind left out for a cluster store", git: clusterStore("vault", "{}") + fetchingFrom("{name: vault}"),
			want: []string{"Error ExternalSecret shop/db /spec/secretStoreRef"}},
		{reason: "a cluster store is asked for where a namespaced one exists", git: store("vault") + fetchingFrom("{name: vault, kind: ClusterSecretStore}"),
			want: []string{"Error ExternalSecret shop/db /spec/secretStoreRef"}},
		{reason: "both exist", git: store("vault") + clusterStore("vault", "{}") + fetchingFrom("{name: vault}")},
	},
	"store-other-namespace": {
		{reason: "it serves its own namespace only",
			git:  strings.Replace(store("vault"), "namespace: shop", "namespace: other", 1) + fetchingFrom("{name: vault}"),
			want: []string{"Error ExternalSecret shop/db /spec/secretStoreRef/name"}},
		{reason: "a store of that name is here too",
			git: strings.Replace(store("vault"), "namespace: shop", "namespace: other", 1) + store("vault") + fetchingFrom("{name: vault}")},
	},
	"store-namespace-denied": {
		{reason: "neither named nor matched",
			git:  clusterStore("vault", `{conditions: [{namespaces: [other]}, {namespaceRegexes: ["^prod"]}]}`) + fetchingFrom("{name: vault, kind: ClusterSecretStore}"),
			want: []string{"Error ExternalSecret shop/db /spec/secretStoreRef"}},
		{reason: "labels decide, and are not known",
			git:  clusterStore("vault", "{conditions: [{namespaceSelector: {matchLabels: {team: a}}}]}") + fetchingFrom("{name: vault, kind: ClusterSecretStore}"),
			want: []string{"Unknown ExternalSecret shop/db /spec/secretStoreRef"}},
		{reason: "labels decide, and Git declares them",
			git: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n" +
				clusterStore("vault", "{conditions: [{namespaceSelector: {matchLabels: {team: a}}}]}") + fetchingFrom("{name: vault, kind: ClusterSecretStore}")},
		{reason: "expressions are not anchored", git: clusterStore("vault", `{conditions: [{namespaceRegexes: ["ho"]}]}`) + fetchingFrom("{name: vault, kind: ClusterSecretStore}")},
		{reason: "no conditions admit all", git: clusterStore("vault", "{}") + fetchingFrom("{name: vault, kind: ClusterSecretStore}")},
	},
	"store-auth-foreign-namespace": {
		{reason: "a credential of another namespace",
			git:  object("external-secrets.io/v1", "SecretStore", "vault", "spec: {provider: {vault: {auth: {tokenSecretRef: {name: t, namespace: ops, key: k}}}}}"),
			want: []string{"Error SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef/namespace"}},
		{reason: "its own namespace, written out",
			git: object("external-secrets.io/v1", "SecretStore", "vault", "spec: {provider: {vault: {auth: {tokenSecretRef: {name: t, namespace: shop, key: k}}}}}")},
		{reason: "a cluster store names namespaces by design",
			git: clusterStore("vault", "{provider: {vault: {auth: {tokenSecretRef: {name: t, namespace: ops, key: k}}}}}")},
		{reason: "a namespace that is no part of a selector (Vault Enterprise)",
			git: object("external-secrets.io/v1", "SecretStore", "vault", "spec: {provider: {vault: {namespace: team-a, server: s}}}")},
	},
	"store-auth-secret-undeclared": {
		{reason: "made by hand", git: loginStore("token"),
			want: []string{"Error SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef/name"}},
		{reason: "an accepted root is named", git: loginStore("token"), change: outside("login"),
			want: []string{"Warning SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef/name"}},
		{reason: "a neighbour that could not be read may declare it", git: loginStore("token"), change: unreadNeighbour,
			want: []string{"Unknown SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef/name"}},
		{reason: "a live object that no Application declares writes it", git: loginStore("token"), live: fetching("login", "token", ""),
			want: []string{"Unknown SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef/name"}},
		{reason: "declared", git: loginStore("token") + sealed("login", "encryptedData: {token: x}")},
		{reason: "a cluster store leaves the namespace to its users", git: clusterStore("vault", "{provider: {vault: {auth: {tokenSecretRef: {name: login, key: token}}}}}")},
		{reason: "a CA from a ConfigMap, a service account: no Secrets",
			git: object("external-secrets.io/v1", "SecretStore", "vault", "spec: {provider: {vault: {caProvider: {type: ConfigMap, name: ca, key: crt}, auth: {kubernetes: {serviceAccountRef: {name: sa}}}}}}")},
	},
	"store-auth-key-missing": {
		{reason: "another key is declared", git: loginStore("vault-token") + sealed("login", "encryptedData: {token: x}"),
			want: []string{"Error SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef/key"}},
		{reason: "this one is", git: loginStore("token") + sealed("login", "encryptedData: {token: x}")},
		{reason: "an extract may hold it", git: loginStore("token") + extracting("login")},
	},
	"store-auth-cycle": {
		{reason: "the store renews its own token", git: loginStore("token") + fetching("login", "token", ""),
			want: []string{"Warning SecretStore shop/vault /spec/provider/vault/auth/tokenSecretRef"}},
		{reason: "another store delivers it", git: loginStore("token") + store("other") +
			externalSecret("login", "secretStoreRef: {name: other}\ndata: [{secretKey: token, remoteRef: {key: x}}]")},
	},
	"store-write-only": {
		{reason: "publishes and cannot read", git: object("external-secrets.io/v1", "SecretStore", "vault", "spec: {provider: {github: {}}}") + fetchingFrom("{name: vault}"),
			want: []string{"Error ExternalSecret shop/db /spec/secretStoreRef"}},
		{reason: "reads", git: store("vault") + fetchingFrom("{name: vault}")},
	},
	"store-not-ready": {
		{reason: "the store that is used is broken", git: fetchingFrom("{name: vault}"), live: storeStatus(`status: "False", reason: InvalidProviderConfig`),
			want: []string{"Error SecretStore shop/vault /status/conditions"}},
		{reason: "nobody has judged it", git: fetchingFrom("{name: vault}"), live: store("vault"),
			want: []string{"Unknown SecretStore shop/vault /status/conditions"}},
		{reason: "Ready", git: fetchingFrom("{name: vault}"), live: storeStatus(`status: "True", reason: Valid`)},
		{reason: "another store of the namespace is not this Application's concern", git: store("mine"), live: storeStatus(`status: "False", reason: x`)},
	},
}
