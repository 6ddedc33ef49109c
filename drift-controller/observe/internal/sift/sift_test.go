// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sift

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestObject(t *testing.T) {
	type meta = metav1.ObjectMeta
	secret, configMap, claim := schema.GroupKind{Kind: "Secret"}, schema.GroupKind{Kind: "ConfigMap"}, schema.GroupKind{Kind: "PersistentVolumeClaim"}
	by := func(managers ...string) []metav1.ManagedFieldsEntry {
		var entries []metav1.ManagedFieldsEntry
		for _, m := range managers {
			entries = append(entries, metav1.ManagedFieldsEntry{Manager: m})
		}
		return entries
	}
	cases := map[string]struct {
		reason string
		kind   schema.GroupKind
		meta   meta
		stray  bool
	}{
		"by hand":         {"nobody declares it", configMap, meta{Name: "debug", ManagedFields: by("kubectl-create")}, true},
		"child":           {"it goes with its owner", secret, meta{Name: "s", OwnerReferences: []metav1.OwnerReference{{Name: "o"}}}, false},
		"root CA":         {"in every namespace", configMap, meta{Name: "kube-root-ca.crt"}, false},
		"named like it":   {"another kind", secret, meta{Name: "kube-root-ca.crt"}, true},
		"default account": {"in every namespace", schema.GroupKind{Kind: "ServiceAccount"}, meta{Name: "default"}, false},
		"token":           {"made for an account", secret, meta{Name: "t", Annotations: map[string]string{"kubernetes.io/service-account.name": "default"}}, false},
		"release":         {"Helm's own", secret, meta{Name: "sh.helm.release.v1.a.v1", Labels: map[string]string{"owner": "helm"}}, false},
		"owner helm":      {"a label that people use, too", configMap, meta{Name: "tools", Labels: map[string]string{"owner": "helm"}}, true},
		"ESO":             {"an ExternalSecret declares it", secret, meta{Name: "e", Labels: map[string]string{"reconcile.external-secrets.io/managed": "true"}}, false},
		"copied label":    {"operators copy labels to ConfigMaps", configMap, meta{Name: "e", Labels: map[string]string{"reconcile.external-secrets.io/managed": "true"}}, true},
		"certificate":     {"a Certificate declares it", secret, meta{Name: "c", Annotations: map[string]string{"cert-manager.io/certificate-name": "c"}}, false},
		"control plane":   {"nobody else wrote it", configMap, meta{Name: "c", ManagedFields: by("kube-controller-manager")}, false},
		"edited since":    {"somebody else wrote it as well", configMap, meta{Name: "c", ManagedFields: by("kube-controller-manager", "kubectl-edit")}, true},
		"claim":           {"a StatefulSet's outlives it", claim, meta{Name: "data-db-0", ManagedFields: by("kube-controller-manager")}, true},
		"nobody":          {"field management can be wiped", configMap, meta{Name: "c"}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Object(tc.kind, &tc.meta); (got == "") != tc.stray {
				t.Errorf("%s: excluded because %q, want a stray: %t", tc.reason, got, tc.stray)
			}
		})
	}
}

func TestKind(t *testing.T) {
	for kind, stray := range map[schema.GroupKind]bool{
		{Kind: "Event"}: false,
		{Group: "coordination.k8s.io", Kind: "Lease"}:        false,
		{Group: "drift.holdfast.dev", Kind: "Application"}:   false,
		{Group: "apps", Kind: "ControllerRevision"}:          false,
		{Group: "apps", Kind: "Deployment"}:                  true,
		{Group: "argoproj.io", Kind: "Application"}:          true,
		{Group: "external-secrets.io", Kind: "SecretStore"}:  true,
		{Group: "rbac.authorization.k8s.io", Kind: "Role"}:   true,
		{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:   false,
		{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kust"}: true,
	} {
		if got := Kind(kind); (got == "") != stray {
			t.Errorf("%s: excluded because %q, want candidates: %t", kind, got, stray)
		}
	}
}

func TestIsClaimOf(t *testing.T) {
	for name, want := range map[string]bool{
		"data-db-0": true, "my-data-db-12": true, "data-db": false, "data-other-0": false, "db-0": false, "data-db-x": false, "": false,
	} {
		if got := IsClaimOf(name, []string{"db"}); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}

// TestCreator: the earliest write, status aside; entries without a time last.
func TestCreator(t *testing.T) {
	at := func(hour int) *metav1.Time {
		v := metav1.NewTime(time.Date(2026, 5, 4, hour, 0, 0, 0, time.UTC))
		return &v
	}
	obj := &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "scaler", Subresource: "scale", Time: at(1)},
		{Manager: "timeless"},
		{Manager: "second", Time: at(9)},
		{Manager: "first", Operation: "Update", Time: at(8)},
	}}
	if got := Creator(obj); got.Name != "first" || got.Operation != "Update" || !got.LastWrite.Equal(at(8).Time) {
		t.Errorf("got %+v, want first", got)
	}
	if got := Creator(&metav1.ObjectMeta{}); got.Name != "" {
		t.Errorf("got %+v for an object that nobody owns", got)
	}
}
