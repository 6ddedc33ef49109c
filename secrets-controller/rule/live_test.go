// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"fmt"
	"strings"
)

// liveES is the ExternalSecret db with its target and status; conditions are
// given in flow style.
func liveES(target, synced, condition string) string {
	return fmt.Sprintf(`---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: shop, generation: 2, creationTimestamp: "2026-05-04T09:00:00Z"}
spec: {target: {%s}, data: [{secretKey: a, remoteRef: {key: x}}, {secretKey: b, remoteRef: {key: x}}]}
status: {syncedResourceVersion: %q, conditions: [%s]}
`, target, synced, condition)
}

func readyTrue(reason, message string) string {
	return fmt.Sprintf(`{type: Ready, status: "True", reason: %s, message: %q}`, reason, message)
}

var (
	declaredES = fetching("db", "a", "")
	arrived    = withSecrets(map[string][]string{"db": {"a", "b"}})
	healthy    = liveES("", "2-aa", readyTrue("SecretSynced", "secret synced"))
)

func liveProducer(apiVersion, kind, spec, status string) string {
	return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata: {name: db, namespace: shop, generation: 2}\nspec: {%s}\nstatus: {%s}\n",
		apiVersion, kind, spec, status)
}

const statusAt = " /status/conditions"

var liveExamples = examples{
	"live-synced-error": {
		{reason: "not delivered", git: declaredES, live: liveES("", "2-aa", `{type: Ready, status: "False", reason: SecretSyncedError}`),
			want: []string{"Error ExternalSecret shop/db" + statusAt}},
		{reason: "delivered", git: declaredES, live: healthy},
		{reason: "an ExternalSecret that is not declared here", git: store("vault"), live: liveES("", "2-aa", `{type: Ready, status: "False", reason: SecretSyncedError}`)},
	},
	"live-missing-despite-ready": {
		{reason: "the reason says so", git: declaredES, live: liveES("creationPolicy: Merge", "2-aa", readyTrue("SecretMissing", "")), change: arrived,
			want: []string{"Error ExternalSecret shop/db" + statusAt}},
		{reason: "the Secret is not there", git: declaredES, live: healthy,
			want: []string{"Error ExternalSecret shop/db" + statusAt}},
		{reason: "it is there", git: declaredES, live: healthy, change: arrived},
		{reason: "None never writes one", git: declaredES, live: liveES("creationPolicy: None", "2-aa", readyTrue("SecretSynced", ""))},
	},
	"live-deleted-despite-ready": {
		{reason: "removed with the value in the store", git: declaredES, live: liveES("deletionPolicy: Delete", "2-aa", readyTrue("SecretDeleted", "")),
			want: []string{"Error ExternalSecret shop/db" + statusAt}},
		{reason: "there", git: declaredES, live: healthy, change: arrived},
	},
	"live-retained": {
		{reason: "only the message tells", git: declaredES, live: liveES("", "2-aa", readyTrue("SecretSynced", "secret retained due to DeletionPolicy=Retain")),
			want: []string{"Warning ExternalSecret shop/db" + statusAt}},
		{reason: "synced", git: declaredES, live: healthy},
	},
	"live-stale-generation": {
		{reason: "the operator has not come round to it", git: declaredES, live: liveES("", "1-aa", readyTrue("SecretSynced", "")),
			want: []string{"Unknown ExternalSecret shop/db /status/syncedResourceVersion"}},
		{reason: "and never will", git: declaredES,
			live: strings.Replace(liveES("", "1-aa", readyTrue("SecretSynced", "")), "spec: {", `spec: {refreshInterval: "0", `, 1),
			want: []string{"Error ExternalSecret shop/db /status/syncedResourceVersion"}},
		{reason: "current", git: declaredES, live: healthy},
	},
	"live-partial-keys": {
		{reason: "b was skipped", git: declaredES, live: liveES("deletionPolicy: Merge", "2-aa", readyTrue("SecretSynced", "")),
			change: withSecrets(map[string][]string{"db": {"a"}}),
			want:   []string{"Error ExternalSecret shop/db /spec/data/1"}},
		{reason: "managedFields were stripped", git: declaredES, live: healthy, change: withSecrets(map[string][]string{"db": nil}),
			want: []string{"Unknown Secret shop/db"}},
		{reason: "all there, and one more", git: declaredES, live: healthy, change: withSecrets(map[string][]string{"db": {"a", "b", "c"}})},
		{reason: "not synced yet", git: declaredES, live: liveES("", "1-aa", readyTrue("SecretSynced", "")), change: withSecrets(map[string][]string{"db": {"a"}})},
	},
	"live-no-status": {
		{reason: "for an hour", git: declaredES, live: liveES("", "", ""),
			want: []string{"Error ExternalSecret shop/db"}},
		{reason: "created a moment ago", git: declaredES, live: strings.Replace(liveES("", "", ""), "09:00:00", "09:59:30", 1),
			want: []string{"Unknown ExternalSecret shop/db"}},
		{reason: "not in the cluster", git: declaredES, live: store("vault"),
			want: []string{"Unknown ExternalSecret shop/db"}},
		{reason: "judged", git: declaredES, live: healthy},
		{reason: "the cluster was not read: told once, elsewhere", git: declaredES},
	},
	"live-sealed-not-synced": {
		{reason: "could not be unsealed", git: sealed("db", "encryptedData: {}"),
			live: liveProducer("bitnami.com/v1alpha1", "SealedSecret", "", `observedGeneration: 2, conditions: [{type: Synced, status: "False"}]`),
			want: []string{"Error SealedSecret shop/db" + statusAt}},
		{reason: "judged for an older generation", git: sealed("db", "encryptedData: {}"),
			live: liveProducer("bitnami.com/v1alpha1", "SealedSecret", "", `observedGeneration: 1, conditions: [{type: Synced, status: "True"}]`),
			want: []string{"Unknown SealedSecret shop/db" + statusAt}},
		{reason: "unsealed", git: sealed("db", "encryptedData: {}"),
			live: liveProducer("bitnami.com/v1alpha1", "SealedSecret", "", `observedGeneration: 2, conditions: [{type: Synced, status: "True"}]`)},
	},
	"live-cert-not-ready": {
		{reason: "pending", git: certificate("db", "tls"),
			live: liveProducer("cert-manager.io/v1", "Certificate", "secretName: tls", `conditions: [{type: Ready, status: "False", reason: DoesNotExist, observedGeneration: 2}]`),
			want: []string{"Error Certificate shop/db" + statusAt}},
		{reason: "not in the cluster", git: certificate("db", "tls"), live: store("vault"),
			want: []string{"Unknown Certificate shop/db"}},
		{reason: "issued", git: certificate("db", "tls"),
			live: liveProducer("cert-manager.io/v1", "Certificate", "secretName: tls", `conditions: [{type: Ready, status: "True", observedGeneration: 2}]`)},
	},
}
