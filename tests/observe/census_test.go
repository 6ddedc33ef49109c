// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestCensus: what somebody forgot is found with its maker, and nothing that
// the system, an operator or a declaration made.
func TestCensus(t *testing.T) {
	const forgotten = `
apiVersion: v1
kind: ConfigMap
metadata: {name: old-env}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tmp-debug}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: dev}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-gone-0}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: api-v0, annotations: {meta.helm.sh/release-name: users-api-old}}
spec: {ports: [{port: 80}]}
`
	const made = `
apiVersion: v1
kind: Secret
metadata: {name: from-store, labels: {reconcile.external-secrets.io/managed: "true"}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-store-0}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
`
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	set := declaredAll(t, o, namespace, "statefulset", "deployment", "service-headless")
	apply(t, c, "helm", set...)
	store(t, c, namespace, 1, "")
	apply(t, c, "kubectl-create", objects(t, o, namespace, forgotten)...)
	apply(t, c, "external-secrets", objects(t, o, namespace, made)...)
	known := map[manifest.ID]bool{}
	for _, obj := range set {
		known[obj.ID()] = true
	}

	census, err := o.Census(t.Context(), []string{namespace}, func(id manifest.ID) bool { return known[id] })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range census.Strays {
		got = append(got, strings.TrimSpace(s.ID.Kind+" "+s.ID.Name+" by "+s.Creator.Name+" "+s.Claim))
	}
	want := []string{
		"ConfigMap old-env by", // an empty object has no field that anybody could own
		"PersistentVolumeClaim data-gone-0 by kubectl-create",
		"Service api-v0 by kubectl-create Helm release users-api-old",
		"RoleBinding tmp-debug by kubectl-create",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("strays (-want +got):\n%s", diff)
	}
	if len(census.Unlisted) > 0 {
		t.Errorf("not listed: %v", census.Unlisted)
	}
}

// TestCensusNamesWhatItMayNotList: a kind that was not searched is no kind
// without strays.
func TestCensusNamesWhatItMayNotList(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	o := actingAs(t, c, observer(t, c, namespace, rule("", "configmaps", "list")))
	apply(t, c, "kubectl-create", declaredAll(t, o, namespace, "configmap", "deployment")...)
	census, err := o.Census(t.Context(), []string{namespace}, func(manifest.ID) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if len(census.Strays) != 1 || census.Strays[0].ID.Name != "env" {
		t.Errorf("got strays %+v, want the one ConfigMap", census.Strays)
	}
	if all := census.Unlisted; len(all) != 1 || !strings.Contains(all[0], " deployments.apps,") || !strings.Contains(all[0], namespace) {
		t.Errorf("Deployments of namespace %s are not named among the unlisted, in one line:\n%s", namespace, strings.Join(all, "\n"))
	}
}
