// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"strings"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

const podAt = "/spec/template/spec"

// optional marks every reference of a manifest as optional.
func optional(manifest string) string {
	return strings.ReplaceAll(manifest, "secretKeyRef: {", "secretKeyRef: {optional: true, ")
}

func extracting(name string) string {
	return externalSecret(name, "secretStoreRef: {name: vault}\ndataFrom: [{extract: {key: shop/db}}]")
}

var contractExamples = examples{
	"consumer-secret-undeclared": {
		{reason: "nobody declares db", git: reads("db", "password"),
			want: []string{"Error Deployment shop/api " + envAt + "/name"}},
		{reason: "it exists by hand: not restorable all the same", git: reads("db", "password"), change: withSecrets(map[string][]string{"db": {"password"}}),
			want: []string{"Error Deployment shop/api " + envAt + "/name"}},
		{reason: "a neighbour that could not be read may declare it", git: reads("db", "password"), change: unreadNeighbour,
			want: []string{"Unknown Deployment shop/api " + envAt + "/name"}},
		{reason: "a live ExternalSecret that no Application declares writes it", git: reads("db", "password"), live: fetching("db", "password", ""),
			want: []string{"Unknown Deployment shop/api " + envAt + "/name"}},
		{reason: "a ClusterExternalSecret whose selector cannot be decided may write it",
			git: reads("db", "password") +
				"---\napiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: db}\nspec: {namespaceSelectors: [{matchLabels: {a: b}}], externalSecretSpec: {data: [{secretKey: password, remoteRef: {key: x}}]}}\n",
			want: []string{"Unknown Deployment shop/api " + envAt + "/name"}},
		{reason: "an ExternalSecret declares it", git: fetching("db", "password", "") + reads("db", "password")},
		{reason: "a neighbour declares it", git: reads("db", "password"), change: neighbour("db", declaration.CreationOwner, "password")},
		{reason: "a person declared it as coming from outside", git: reads("db", "password"), change: outside("d*")},
		{reason: "optional", git: optional(reads("db", "password"))},
	},
	"consumer-key-undeclared": {
		{reason: "a typo", git: fetching("db", "password", "") + reads("db", "pasword"),
			want: []string{"Error Deployment shop/api " + envAt + "/key"}},
		{reason: "the external producer lists its keys", git: reads("db", "uri"), change: outside("db", "password"),
			want: []string{"Error Deployment shop/api " + envAt + "/key"}},
		{reason: "the template replaces what was fetched", git: fetching("db", "password", `target: {template: {data: {dsn: "{{ .password }}"}}}`) + reads("db", "password"),
			want: []string{"Error Deployment shop/api " + envAt + "/key"}},
		{reason: "it comes from a Merge beside the base",
			git: gitSecret("db", "data: {}") + fetching("m", "password", "target: {name: db, creationPolicy: Merge}") + reads("db", "password")},
		{reason: "generators have known keys",
			git: externalSecret("db", "dataFrom: [{sourceRef: {generatorRef: {kind: SSHKey, name: k}}}]") + reads("db", "privateKey")},
		{reason: "a rewrite over known keys can be followed",
			git: externalSecret("db", `dataFrom: [{sourceRef: {generatorRef: {kind: UUID, name: k}}, rewrite: [{regexp: {source: "^", target: "my-"}}]}]`) + reads("db", "my-uuid")},
	},
	"consumer-key-unknowable": {
		{reason: "an extract", git: extracting("db") + reads("db", "password"),
			want: []string{"Unknown Deployment shop/api " + envAt + "/key"}},
		{reason: "an extract, and the cluster shows the key", git: extracting("db") + reads("db", "password"),
			change: withSecrets(map[string][]string{"db": {"password"}}),
			want:   []string{"Info Deployment shop/api " + envAt + "/key"}},
		{reason: "a Certificate has ca.crt only if the issuer gives one", git: certificate("c", "db") + reads("db", "ca.crt"),
			want: []string{"Unknown Deployment shop/api " + envAt + "/key"}},
		{reason: "named under data", git: fetching("db", "password", "") + reads("db", "password")},
	},
	"consumer-optional": {
		{reason: "nobody produces it", git: optional(reads("db", "password")),
			want: []string{"Info Deployment shop/api " + envAt + "/name"}},
		{reason: "the key is not written", git: fetching("db", "user", "") + optional(reads("db", "password")),
			want: []string{"Info Deployment shop/api " + envAt + "/key"}},
		{reason: "produced", git: fetching("db", "password", "") + optional(reads("db", "password"))},
	},
	"envfrom-undeclared": {
		{reason: "two levels deeper in a CronJob",
			git:  object("batch/v1", "CronJob", "j", "spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c, envFrom: [{secretRef: {name: db}}]}]}}}}}"),
			want: []string{"Error CronJob shop/j /spec/jobTemplate/spec/template/spec/containers/0/envFrom/0/secretRef/name"}},
		{reason: "declared", git: fetching("db", "x", "") + pod("containers: [{name: c, envFrom: [{secretRef: {name: db}}]}]")},
		{reason: "a ConfigMap is another matter", git: pod("containers: [{name: c, envFrom: [{configMapRef: {name: db}}]}]")},
	},
	"volume-undeclared": {
		{reason: "with items it is one fault",
			git:  pod("volumes: [{name: v, secret: {secretName: db, items: [{key: a, path: a}, {key: b, path: b}]}}]"),
			want: []string{"Error Deployment shop/api " + podAt + "/volumes/0/secret/secretName"}},
		{reason: "projected, and a CSI driver's credential",
			git: pod("volumes: [{name: p, projected: {sources: [{secret: {name: db}}]}}, {name: c, csi: {nodePublishSecretRef: {name: creds}}}]"),
			want: []string{
				"Error Deployment shop/api " + podAt + "/volumes/0/projected/sources/0/secret/name",
				"Error Deployment shop/api " + podAt + "/volumes/1/csi/nodePublishSecretRef/name",
			}},
		{reason: "optional", git: pod("volumes: [{name: v, secret: {secretName: db, optional: true}}]")},
		{reason: "declared", git: fetching("db", "a", "") + pod("volumes: [{name: v, secret: {secretName: db}}]")},
	},
	"volume-item-key": {
		{reason: "the second item is not written",
			git:  fetching("db", "a", "") + pod("volumes: [{name: v, secret: {secretName: db, items: [{key: a, path: a}, {key: b, path: b}]}}]"),
			want: []string{"Error Deployment shop/api " + podAt + "/volumes/0/secret/items/1/key"}},
		{reason: "SealedSecret keys are those of both maps",
			git: sealed("db", "encryptedData: {a: x}\ntemplate: {data: {b: c}}") + pod("volumes: [{name: v, secret: {secretName: db, items: [{key: a, path: a}, {key: b, path: b}]}}]")},
	},
	"imagepullsecret-undeclared": {
		{reason: "tolerated by the API, and fails later", git: pod("imagePullSecrets: [{name: reg}]"),
			want: []string{"Error Deployment shop/api " + podAt + "/imagePullSecrets/0/name"}},
		{reason: "declared", git: fetching("reg", ".dockerconfigjson", "") + pod("imagePullSecrets: [{name: reg}]")},
	},
	"sa-pullsecret": {
		{reason: "on the account", git: object("v1", "ServiceAccount", "sa", "imagePullSecrets: [{name: reg}]"),
			want: []string{"Error ServiceAccount shop/sa /imagePullSecrets/0/name"}},
		{reason: "declared", git: fetching("reg", ".dockerconfigjson", "") + object("v1", "ServiceAccount", "sa", "imagePullSecrets: [{name: reg}]")},
	},
	"cross-namespace-assumption": {
		{reason: "declared next door", git: strings.Replace(fetching("db", "x", ""), "namespace: shop", "namespace: other", 1) + reads("db", "x"),
			want: []string{"Error Deployment shop/api " + envAt + "/name"}},
		{reason: "declared in both", git: strings.Replace(fetching("db", "x", ""), "namespace: shop", "namespace: other", 1) + fetching("db", "x", "") + reads("db", "x")},
	},
	"live-secret-undeclared": {
		{reason: "made by hand and in use", git: reads("oidc", "x"), change: withSecrets(map[string][]string{"oidc": {"x"}}),
			want: []string{"Warning Secret shop/oidc"}},
		{reason: "declared", git: fetching("oidc", "x", "") + reads("oidc", "x"), change: withSecrets(map[string][]string{"oidc": {"x"}})},
		{reason: "not there", git: reads("oidc", "x"), change: func(in *rule.Input) { in.Live.Secrets.Known = true }},
	},
}
