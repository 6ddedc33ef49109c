// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

const controllerUser = "system:serviceaccount:holdfast-system:drift-controller"

// observer makes an account with rights in one namespace, and lets the
// controller act as it.
func observer(t *testing.T, c *cluster.Cluster, namespace string, rules ...rbacv1.PolicyRule) observe.Identity {
	t.Helper()
	client := kube(t, c)
	const name = "observer"
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := client.CoreV1().ServiceAccounts(namespace).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	rules = append(rules, rule(contract.ObserverGroup, contract.ObserverResource, contract.ObserverVerb))
	grant(t, client, meta, rbacv1.Subject{Kind: "ServiceAccount", Name: name, Namespace: namespace}, rules...)
	meta.Name = "acts-as-observer"
	grant(t, client, meta, rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: controllerUser},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{name}, Verbs: []string{"impersonate"}})
	return observe.Identity{Namespace: namespace, ServiceAccount: name}
}

func grant(t *testing.T, client *kubernetes.Clientset, meta metav1.ObjectMeta, to rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.Role{ObjectMeta: meta, Rules: rules}
	if _, err := client.RbacV1().Roles(meta.Namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, Subjects: []rbacv1.Subject{to},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
	}
	if _, err := client.RbacV1().RoleBindings(meta.Namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func rule(group, resources string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: strings.Fields(resources), Verbs: verbs}
}

// installation is config/ on the shared cluster: the rights of the controller,
// and the policy that holds observers to dry runs.
var installation struct {
	sync.Once
	err error
}

func install(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	installation.Do(func() {
		var root string
		if root, installation.err = filepath.Abs("../.."); installation.err == nil {
			installation.err = holdfast.Install(context.Background(), c, root)
		}
	})
	if installation.err != nil {
		t.Fatal(installation.err)
	}
}

// actingAs sees the cluster as the controller does for an application.
func actingAs(t *testing.T, c *cluster.Cluster, i observe.Identity) *observe.Cluster {
	t.Helper()
	install(t, c)
	cfg, err := c.Config(controllerUser, "system:serviceaccounts", "system:serviceaccounts:holdfast-system", "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	o, err := connect(t, cfg).As(i)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestRightsOfTheAccountDecide: what the account may not do lowers the
// precision or makes one object unknown, and disturbs no other.
func TestRightsOfTheAccountDecide(t *testing.T) {
	c := cluster.Get(t)
	cases := map[string]struct {
		reason    string
		verbs     []string
		failure   string
		precision api.Precision
		missing   bool // the object is not live
	}{
		"all rights":      {"what config/ grants", []string{"get", "create", "patch"}, "", api.PrecisionRestored, false},
		"no create":       {"a throw-away name is a creation", []string{"get", "patch"}, "", api.PrecisionInPlace, false},
		"read only":       {"no dry run at all", []string{"get"}, "", api.PrecisionDeclaredFields, false},
		"nothing":         {"an object that may not be read is not absent", []string{"watch"}, observe.ReasonForbidden, "", false},
		"missing":         {"its creation is tried dry", []string{"get", "create", "patch"}, "", api.PrecisionRestored, true},
		"missing, unable": {"not being able to try is no fault", []string{"get"}, "", "", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := cluster.Namespace(t, c)
			o := actingAs(t, c, observer(t, c, namespace, rule("", "configmaps", tc.verbs...)))
			obj := declared(t, o, namespace, "kinds/configmap.yaml")[0]
			if !tc.missing {
				apply(t, c, "helm", obj)
			}
			seen := look(t, o, obj)
			failure := ""
			if seen.Failure != nil {
				failure = seen.Failure.Reason
			}
			if failure != tc.failure || seen.Precision != tc.precision || (seen.Live == nil) != (tc.missing || tc.failure != "") {
				t.Errorf("%s: got failure %+v, precision %q, live %t\nwant %q %q", tc.reason, seen.Failure, seen.Precision, seen.Live != nil, tc.failure, tc.precision)
			}
			if tc.failure == "" && !tc.missing {
				if found := judge(t, o, obj, seen); found.Verdict != api.VerdictInSync {
					t.Errorf("%s: got %s", tc.reason, story(found))
				}
			}
		})
	}
}

// TestForbiddenNamesWhatToGrant: the message has to be enough to write the
// Role that is missing.
func TestForbiddenNamesWhatToGrant(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	o := actingAs(t, c, observer(t, c, namespace, rule("", "configmaps", "get")))
	obj := declared(t, o, namespace, "kinds/deployment.yaml")[0]
	seen := look(t, o, obj)
	if seen.Failure == nil || seen.Failure.Reason != observe.ReasonForbidden {
		t.Fatalf("got %+v, want %s", seen.Failure, observe.ReasonForbidden)
	}
	for _, word := range []string{"system:serviceaccount:" + namespace + ":observer", "get", "deployments.apps", namespace} {
		if !strings.Contains(seen.Failure.Message, word) {
			t.Errorf("the message does not name %q: %s", word, seen.Failure.Message)
		}
	}
}

// TestNotAllowedToImpersonate: without that right nothing can be seen, and the
// message says so.
func TestNotAllowedToImpersonate(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	o := actingAs(t, c, observe.Identity{Namespace: namespace, ServiceAccount: "nobody"})
	obj := declared(t, o, namespace, "kinds/configmap.yaml")[0]
	seen := look(t, o, obj)
	if seen.Failure == nil || seen.Failure.Reason != observe.ReasonForbidden || !strings.Contains(seen.Failure.Message, "impersonate") {
		t.Errorf("got %+v, want %s with the word impersonate", seen.Failure, observe.ReasonForbidden)
	}
}

// TestObservingWritesNothing proves from the API server's own log that all
// writes were dry runs, by whom, and how many requests an object costs.
func TestObservingWritesNothing(t *testing.T) {
	c := cluster.Get(t)
	if !c.Embedded() {
		t.Log("only the audit log of an embedded control plane can be read; this cluster's belongs to its owner")
		return
	}
	namespace := cluster.Namespace(t, c)
	account := observer(t, c, namespace,
		rule("", "configmaps secrets services serviceaccounts", "get", "list", "create", "patch"),
		rule("apps", "deployments", "get", "list", "create", "patch"),
		rule("autoscaling", "horizontalpodautoscalers", "get", "list", "create", "patch"))
	o := actingAs(t, c, account)
	set := declaredAll(t, o, namespace, "configmap", "secret", "service-clusterip", "serviceaccount", "deployment", "hpa")
	apply(t, c, "helm", set...)
	s := o.Gather(t.Context(), set, scope)
	for _, obj := range set {
		if seen := o.Observe(t.Context(), obj, s); seen.Failure != nil || seen.Precision != api.PrecisionRestored {
			t.Errorf("%s: %s %+v", seen.ID, seen.Precision, seen.Failure)
		}
	}
	events, err := c.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ours := audit.Select(events, audit.ByActor(account.String()))
	for _, e := range audit.Select(ours, audit.Persisting) {
		t.Errorf("a write that persists: %s", e)
	}
	if dry := len(audit.Select(ours, audit.DryRun)); dry != len(set) {
		t.Errorf("%d dry runs for %d objects", dry, len(set))
	}
	perObject := audit.Select(ours, func(e audit.Event) bool { return e.Verb == "get" || audit.DryRun(e) })
	if len(perObject) != 2*len(set) {
		t.Errorf("%d requests for %d objects, want two each", len(perObject), len(set))
	}
	if own := audit.Select(events, audit.ByUser(controllerUser), audit.Persisting); len(own) > 0 {
		t.Errorf("the controller itself wrote: %v", own)
	}
}
