// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"strings"

	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

func serves(versions ...string) func(*rule.Input) {
	return func(in *rule.Input) { in.Live.Versions = rule.Seen[string]{Known: true, Items: versions} }
}

func inVersion(version string) string {
	return strings.ReplaceAll(store("vault")+fetching("db", "password", ""), "external-secrets.io/v1", "external-secrets.io/"+version)
}

var shapeExamples = examples{
	"es-api-v1beta1": {
		{reason: "both kinds are in the old version", git: inVersion("v1beta1"),
			want: []string{"Error ExternalSecret shop/db /apiVersion", "Error SecretStore shop/vault /apiVersion"}},
		{reason: "the cluster's operator is old and serves it", git: inVersion("v1beta1"), change: serves("v1beta1", "v1")},
		{reason: "v1", git: inVersion("v1")},
	},
	"es-api-v1alpha1": {
		{reason: "removed from these kinds", git: inVersion("v1alpha1"),
			want: []string{"Error ExternalSecret shop/db /apiVersion", "Error SecretStore shop/vault /apiVersion"}},
		{reason: "still the version of PushSecret and of generators",
			git: object("external-secrets.io/v1alpha1", "PushSecret", "p", "spec: {}") +
				object("generators.external-secrets.io/v1alpha1", "UUID", "u", "spec: {}")},
	},
	"bad-duration-unit": {
		{reason: "days", git: fetching("db", "password", "refreshInterval: 1d"),
			want: []string{"Error ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "no duration at all", git: fetching("db", "password", "refreshInterval: often"),
			want: []string{"Error ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "hours", git: fetching("db", "password", "refreshInterval: 24h")},
		{reason: "the default", git: fetching("db", "password", "")},
		{reason: "an integer is for the schema to refuse", git: fetching("db", "password", "refreshInterval: 60")},
	},
	"es-no-data": {
		{reason: "nothing to fetch", git: externalSecret("db", "secretStoreRef: {name: vault}"),
			want: []string{"Error ExternalSecret shop/db /spec"}},
		{reason: "within a ClusterExternalSecret, which no webhook checks",
			git:  "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: c}\nspec: {externalSecretSpec: {secretStoreRef: {name: v}}}",
			want: []string{"Error ClusterExternalSecret c /spec/externalSecretSpec"}},
		{reason: "one item", git: fetching("db", "password", "")},
		{reason: "only dataFrom", git: externalSecret("db", "dataFrom: [{extract: {key: a}}]")},
	},
	"datafrom-two-sources": {
		{reason: "extract and a generator in one item",
			git:  externalSecret("db", "dataFrom: [{extract: {key: a}, sourceRef: {generatorRef: {kind: UUID, name: u}}}]"),
			want: []string{"Error ExternalSecret shop/db /spec/dataFrom/0"}},
		{reason: "an extract from another store is one source",
			git: externalSecret("db", "dataFrom: [{extract: {key: a}, sourceRef: {storeRef: {name: s}}}]")},
	},
	"datafrom-storeref-only": {
		{reason: "redirects nothing", git: externalSecret("db", "dataFrom: [{sourceRef: {storeRef: {name: s}}}]"),
			want: []string{"Error ExternalSecret shop/db /spec/dataFrom/0"}},
		{reason: "redirects a find", git: externalSecret("db", "dataFrom: [{find: {path: p}, sourceRef: {storeRef: {name: s}}}]")},
	},
	"data-generatorref": {
		{reason: "not implemented under data",
			git:  externalSecret("db", "data: [{secretKey: a, remoteRef: {key: x}, sourceRef: {generatorRef: {kind: UUID, name: u}}}]"),
			want: []string{"Error ExternalSecret shop/db /spec/data/0/sourceRef/generatorRef"}},
		{reason: "under dataFrom", git: externalSecret("db", "dataFrom: [{sourceRef: {generatorRef: {kind: UUID, name: u}}}]")},
	},
	"duplicate-secret-key": {
		{reason: "the third writes what the first wrote, whatever the deletionPolicy",
			git:  externalSecret("db", "target: {deletionPolicy: Delete}\ndata: [{secretKey: a, remoteRef: {key: x}}, {secretKey: b, remoteRef: {key: x}}, {secretKey: a, remoteRef: {key: y}}]"),
			want: []string{"Error ExternalSecret shop/db /spec/data/2/secretKey"}},
		{reason: "different keys of one remote value",
			git: externalSecret("db", "data: [{secretKey: a, remoteRef: {key: x}}, {secretKey: b, remoteRef: {key: x}}]")},
	},
	"empty-remote-key": {
		{reason: "the schema lets it pass", git: externalSecret("db", `data: [{secretKey: a, remoteRef: {key: ""}}]`),
			want: []string{"Error ExternalSecret shop/db /spec/data/0/remoteRef/key"}},
		{reason: "named", git: fetching("db", "password", "")},
	},
	"invalid-regex": {
		{reason: "look-ahead in find, a group left open in a rewrite, and in a store's condition",
			git: externalSecret("db", `dataFrom: [{find: {name: {regexp: "^(?!x)"}}, rewrite: [{regexp: {source: "(", target: a}}]}]`) +
				clusterStore("c", `{conditions: [{namespaceRegexes: ["ok", "["]}]}`),
			want: []string{
				"Error ClusterSecretStore c /spec/conditions/0/namespaceRegexes/1",
				"Error ExternalSecret shop/db /spec/dataFrom/0/find/name/regexp",
				"Error ExternalSecret shop/db /spec/dataFrom/0/rewrite/0/regexp/source",
			}},
		{reason: "RE2", git: externalSecret("db", `dataFrom: [{find: {name: {regexp: "^(?:a|b)$"}}}]`)},
	},
	"refresh-zero": {
		{reason: "one sync and no more", git: fetching("db", "password", `refreshInterval: "0"`),
			want: []string{"Warning ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "CreatedOnce says the same on purpose", git: fetching("db", "password", "refreshInterval: 0s\nrefreshPolicy: CreatedOnce")},
		{reason: "hourly", git: fetching("db", "password", "refreshInterval: 1h")},
	},
	"refresh-vs-policy": {
		{reason: "never looked at", git: fetching("db", "password", "refreshInterval: 1h\nrefreshPolicy: OnChange"),
			want: []string{"Info ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "no interval beside it", git: fetching("db", "password", "refreshPolicy: OnChange")},
		{reason: "Periodic", git: fetching("db", "password", "refreshInterval: 1h\nrefreshPolicy: Periodic")},
	},
	"generator-periodic": {
		{reason: "a new password every hour, by default", git: generated("Password", ""),
			want: []string{"Warning ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "once", git: generated("Password", "refreshPolicy: CreatedOnce")},
		{reason: "tokens are there to be renewed", git: generated("GithubAccessToken", "refreshInterval: 30m")},
	},
	"generator-ttl": {
		{reason: "an hour, by default, for a token of an hour", git: generated("GithubAccessToken", ""),
			want: []string{"Error ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "little to spare", git: generated("ECRAuthorizationToken", "refreshInterval: 11h"),
			want: []string{"Warning ExternalSecret shop/db /spec/refreshInterval"}},
		{reason: "half its life", git: generated("ECRAuthorizationToken", "refreshInterval: 6h")},
		{reason: "a password does not expire", git: generated("Password", "refreshInterval: 48h")},
	},
}

// generated is an ExternalSecret from a generator.
func generated(kind, more string) string {
	return externalSecret("db", "dataFrom: [{sourceRef: {generatorRef: {kind: "+kind+", name: g}}}]\n"+more)
}
