// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// toolsThatDeploy own what the server fills in as well, or not, as they write.
var toolsThatDeploy = map[string]bool{"helm": false, "kubectl-create": false, "kustomize-controller": true, "some-pipeline": false}

// readOnly is what a cluster gives whose owner grants nothing but looking.
func readOnly(t *testing.T, c *cluster.Cluster, namespace string) *observe.Cluster {
	t.Helper()
	return actingAs(t, c, observer(t, c, namespace, rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}))
}

// create lets a tool make an object as one that knows no server-side apply: it
// then owns what the server fills in as well.
func create(t *testing.T, c *cluster.Cluster, manager string, obj manifest.Object) {
	t.Helper()
	direct, err := client.New(c.AdminConfig(), client.Options{})
	if err == nil {
		err = direct.Create(t.Context(), obj.DeepCopy(), client.FieldOwner(manager))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadOnlyAccount: on a cluster that nobody gave write rights to, whatever
// tool deployed an object it is in sync, and what the server filled in is no
// doubt; a hand that changes what Git declares, or adds to it, is seen.
func TestReadOnlyAccount(t *testing.T) {
	c := cluster.Get(t)
	admin := connect(t, c.AdminConfig())
	kinds := []string{"configmap", "cronjob", "daemonset", "deployment", "hpa", "ingress", "networkpolicy", "pdb", "role", "rolebinding", "secret", "serviceaccount", "statefulset"}
	for tool, applies := range toolsThatDeploy {
		t.Run(tool, func(t *testing.T) {
			namespace := cluster.Namespace(t, c)
			o := readOnly(t, c, namespace)
			for _, obj := range declaredAll(t, admin, namespace, kinds...) {
				if applies {
					apply(t, c, tool, obj)
				} else {
					create(t, c, tool, obj)
				}
				seen := look(t, o, obj)
				if seen.Precision != api.PrecisionDeclaredFields {
					t.Fatalf("%s: precision %s %+v", obj.ID(), seen.Precision, seen.Failure)
				}
				if found := judge(t, o, obj, seen); found.Verdict != api.VerdictInSync {
					t.Errorf("%s: %s", obj.ID(), story(found))
				}
			}
		})
	}
}

// TestReadOnlyAccountSeesHands: each hand edit is found with nothing but reads.
func TestReadOnlyAccountSeesHands(t *testing.T) {
	cases := map[string]struct{ reason, kind, patch, path string }{
		"a declared value":    {"Git says another", "configmap", `{"data":{"DB_HOST":"by-hand"}}`, "/data/DB_HOST"},
		"a key more":          {"the incident", "configmap", `{"data":{"ADDED":"by-hand"}}`, "/data/ADDED"},
		"a label":             {"no server fills in labels", "deployment", `{"metadata":{"labels":{"added":"by-hand"}}}`, "/metadata/labels/added"},
		"a field of its own":  {"no server pauses a Deployment", "deployment", `{"spec":{"paused":true}}`, "/spec/paused"},
		"a default, changed":  {"it is another value than the server's", "deployment", `{"spec":{"revisionHistoryLimit":3}}`, "/spec/revisionHistoryLimit"},
		"within an atomic":    {"a list that is one value holds more than Git says", "networkpolicy", `{"spec":{"policyTypes":["Ingress","Egress"]}}`, "/spec/policyTypes"},
		"a value of a secret": {"masked, and seen", "secret", `{"stringData":{"ADDED":"by-hand"}}`, "/data/ADDED"},
	}
	c := cluster.Get(t)
	admin := connect(t, c.AdminConfig())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := cluster.Namespace(t, c)
			o := readOnly(t, c, namespace)
			obj := declaredAll(t, admin, namespace, tc.kind)[0]
			create(t, c, "helm", obj)
			edit(t, c, admin, obj, tc.patch)
			found := judge(t, o, obj, look(t, o, obj))
			hit := found.Verdict == api.VerdictUnknown && strings.Contains(found.Message, tc.path)
			for _, j := range found.Judgements {
				hit = hit || j.Drift && j.Class == api.ClassManual && j.Pointer == tc.path
			}
			if !hit {
				t.Errorf("%s: want Manual %s, got %s", tc.reason, tc.path, story(found))
			}
		})
	}
}
