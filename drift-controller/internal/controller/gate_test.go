// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
)

// shop is a store, what fetches from it, and two workloads: one reads what is
// fetched, the other does not.
const shop = `apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault, namespace: shop}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: shop}
spec: {secretStoreRef: {name: vault}, target: {name: db-login}, data: [{secretKey: a, remoteRef: {key: a}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: c, image: i, envFrom: [{secretRef: {name: db-login}}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
`

func shopPass(t *testing.T, s status.Secrets) *pass {
	t.Helper()
	objects, err := manifest.Decode("shop.yaml", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	set, err := desired.Make(desired.Input{Manifests: objects, Namespace: "shop", OwnNamespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	p := &pass{set: set, known: &application{set: &placed{index: consumers.Find(objects)}}}
	p.facts.Secrets = s
	return p
}

func denied(kind, namespace, name string) []secrets.Finding {
	return []secrets.Finding{{
		Gate: secrets.GateReadiness, Severity: secrets.SeverityError, Message: "not delivered",
		Object: secrets.ObjectReference{Kind: kind, Namespace: namespace, Name: name},
	}}
}

// TestReadinessHoldsReadersOnly: never what would cure it, or nothing could.
func TestReadinessHoldsReadersOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		secrets status.Secrets
		want    []string
	}{
		"the fetcher":   {"its Secret is read by api", status.Secrets{Gate: api.GateEnforce, Undelivered: denied("ExternalSecret", "shop", "db")}, []string{"api"}},
		"the Secret":    {"the same, named itself", status.Secrets{Gate: api.GateEnforce, Undelivered: denied("Secret", "shop", "db-login")}, []string{"api"}},
		"the store":     {"what it should have delivered", status.Secrets{Gate: api.GateEnforce, Undelivered: denied("SecretStore", "shop", "vault")}, []string{"api"}},
		"another store": {"of the same name, of another kind", status.Secrets{Gate: api.GateEnforce, Undelivered: denied("ClusterSecretStore", "", "vault")}, nil},
		"elsewhere":     {"of another namespace", status.Secrets{Gate: api.GateEnforce, Undelivered: denied("ExternalSecret", "dev", "db")}, nil},
		"warn":          {"Warn holds nothing", status.Secrets{Gate: api.GateWarn, Undelivered: denied("ExternalSecret", "shop", "db")}, nil},
		"delivered":     {"nothing is missing", status.Secrets{Gate: api.GateEnforce}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			holds := map[manifest.ID]string{}
			shopPass(t, tc.secrets).readiness(holds)
			var got []string
			for id := range holds {
				got = append(got, id.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDeclarationGate(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		secrets status.Secrets
		holds   bool
		notes   bool
	}{
		"off":     {"nothing is asked", status.Secrets{Gate: api.GateOff, Verdict: secrets.VerdictDeny}, false, false},
		"warn":    {"it is told", status.Secrets{Gate: api.GateWarn, Verdict: secrets.VerdictDeny}, false, true},
		"deny":    {"the commit is wrong", status.Secrets{Gate: api.GateEnforce, Verdict: secrets.VerdictDeny}, true, false},
		"missing": {"nobody has looked at this render, or nobody stands behind the report any more", status.Secrets{Gate: api.GateEnforce}, true, false},
		"unknown": {"a store's content cannot be known from Git: listed, and no reason to freeze", status.Secrets{Gate: api.GateEnforce, Verdict: secrets.VerdictUnknown}, false, false},
		"pass":    {"nothing is wrong", status.Secrets{Gate: api.GateEnforce, Verdict: secrets.VerdictPass}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pass{}
			p.facts.Secrets = tc.secrets
			if got := p.gated(); (got != "") != tc.holds {
				t.Errorf("%s: held %q, want %t", tc.reason, got, tc.holds)
			}
			if told := strings.Contains(strings.Join(p.facts.Notes, ""), "Warn"); told != tc.notes {
				t.Errorf("%s: notes %v", tc.reason, p.facts.Notes)
			}
		})
	}
}
