// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"fmt"
	"strings"
	"testing"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// The chain from a workload over its Secret and store to the credential that
// somebody has to bring.
const (
	podReads   = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: a}}}]}]}\n"
	esFetches  = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db, namespace: shop}\nspec: {secretStoreRef: {name: vault}, data: [{secretKey: a, remoteRef: {key: x}}]}\n"
	esExtract  = "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db, namespace: shop}\nspec: {secretStoreRef: {name: vault}, dataFrom: [{extract: {key: x}}]}\n"
	storeKeeps = "---\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: vault, namespace: shop}\nspec: {provider: {vault: {server: https://vault.example.com, path: kv, auth: {tokenSecretRef: {name: vault-token, key: token}}}}}\n"
)

func TestRestore(t *testing.T) {
	everything := func(in *rule.Input) {
		// What is live is no declaration, and an exception brings nothing back.
		in.Live = liveOf(parse(t, esFetches+storeKeeps))
		withSecrets(map[string][]string{"db": {"a"}, "vault-token": {"token"}})(in)
	}
	tolerated := func(in *rule.Input) {
		in.Policy = rule.NewPolicy([]secretsv1.SecretPolicy{{Spec: secretsv1.SecretPolicySpec{
			Severities: []secretsv1.RuleSeverity{{Rule: "consumer-secret-undeclared", Severity: "Off"}},
			Exceptions: []secretsv1.Exception{{Rule: "store-auth-secret-undeclared"}},
		}}}, now)
	}
	for name, tc := range map[string]struct {
		reason string
		git    string
		change func(*rule.Input)
		want   secretsv1.RestorabilityVerdict
		lists  string
	}{
		"a root by hand":        {"nobody answers for the token", podReads + esFetches + storeKeeps, nil, secretsv1.NotRestorable, "vault-token"},
		"a named root":          {"somebody does", podReads + esFetches + storeKeeps, outside("vault-token", "token"), secretsv1.RestorableWithRoots, "Secret shop/vault-token"},
		"no producer":           {"the edge is listed", podReads + storeKeeps, outside("vault-token"), secretsv1.NotRestorable, "Pod shop/web"},
		"no store":              {"the edge is listed", podReads + esFetches, nil, secretsv1.NotRestorable, "vault"},
		"all of it is live":     {"which is no declaration", podReads, everything, secretsv1.NotRestorable, "Pod shop/web"},
		"tolerated":             {"what is missing is missing", podReads + esFetches + storeKeeps, tolerated, secretsv1.NotRestorable, "vault-token"},
		"unknown keys":          {"an extract may hold the key", podReads + esExtract + storeKeeps, outside("vault-token"), secretsv1.RestorabilityUnknown, "Pod shop/web"},
		"an unread application": {"which may declare it", podReads, unreadNeighbour, secretsv1.RestorabilityUnknown, "Pod shop/web"},
		"nothing needed":        {"is restored by doing nothing", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n", nil, secretsv1.Restorable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := rule.Restore(example{git: tc.git, change: tc.change}.input(t))
			if got.Verdict != tc.want || !strings.Contains(fmt.Sprint(got), tc.lists) {
				t.Errorf("%s: got %+v, want %s with %s", tc.reason, got, tc.want, tc.lists)
			}
		})
	}
}

// TestRestoreIsBounded: a status has an end, and says that there is more.
func TestRestoreIsBounded(t *testing.T) {
	var git strings.Builder
	for i := range 300 {
		fmt.Fprintf(&git, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-%d, namespace: ns-%d}\nspec: {containers: [{name: c, image: i, envFrom: [{secretRef: {name: db}}]}]}\n", i, i%100)
	}
	got := rule.Restore(example{git: git.String()}.input(t))
	lines, more := 0, 0
	for _, n := range got.Namespaces {
		lines += len(n.Missing)
		more += int(n.More)
	}
	if len(got.Namespaces) != 50 || lines != 60 || more == 0 {
		t.Errorf("%d namespaces, %d lines and %d more", len(got.Namespaces), lines, more)
	}
}

// TestDeliveries has each way in which Ready=True is not what it seems: each
// has a state of its own, and none is Delivered.
func TestDeliveries(t *testing.T) {
	several := func(keys ...string) func(*rule.Input) {
		return withSecrets(map[string][]string{"db": keys})
	}
	for name, tc := range map[string]struct {
		live   string
		change func(*rule.Input)
		want   secretsv1.DeliveryState
	}{
		"delivered":        {healthy, arrived, secretsv1.DeliveryDelivered},
		"no target":        {liveES("creationPolicy: Merge", "2-aa", readyTrue("SecretMissing", "")), arrived, secretsv1.DeliveryMissing},
		"not there":        {healthy, nil, secretsv1.DeliveryMissing},
		"deleted":          {liveES("deletionPolicy: Delete", "2-aa", readyTrue("SecretDeleted", "")), arrived, secretsv1.DeliveryMissing},
		"retained":         {liveES("", "2-aa", readyTrue("SecretSynced", "secret retained due to DeletionPolicy=Retain")), arrived, secretsv1.DeliveryKeptOld},
		"none by design":   {liveES("creationPolicy: None", "2-aa", readyTrue("SecretSynced", "")), arrived, secretsv1.DeliveryNotCreated},
		"a part":           {liveES("deletionPolicy: Merge", "2-aa", readyTrue("SecretSynced", "")), several("a"), secretsv1.DeliveryPartial},
		"frozen":           {liveES("immutable: true", "2-aa", readyTrue("SecretSynced", "")), several("a"), secretsv1.DeliveryKeptOld},
		"changed since":    {liveES("", "1-aa", readyTrue("SecretSynced", "")), arrived, secretsv1.DeliveryUnknown},
		"never again":      {strings.Replace(liveES("", "1-aa", readyTrue("SecretSynced", "")), "spec: {", `spec: {refreshInterval: "0", `, 1), arrived, secretsv1.DeliveryStale},
		"an error":         {liveES("", "2-aa", `{type: Ready, status: "False", reason: SecretSyncedError}`), arrived, secretsv1.DeliveryFailed},
		"no controller":    {liveES("", "", ""), arrived, secretsv1.DeliveryNoController},
		"not in a cluster": {"", nil, secretsv1.DeliveryUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			got := rule.Deliveries(example{git: declaredES, live: tc.live, change: tc.change}.input(t))
			if len(got) != 1 || got[0].State != tc.want {
				t.Errorf("got %+v, want %s", got, tc.want)
			}
		})
	}
}
