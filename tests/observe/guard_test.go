// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestOnlyObserversAreAskedForDryRuns: RBAC cannot tell a dry run from a write,
// so an account that admission does not hold to dry runs sends none.
func TestOnlyObserversAreAskedForDryRuns(t *testing.T) {
	c := cluster.Get(t)
	write := rule("", "configmaps", "get", "create", "patch")
	mark := rule(contract.ObserverGroup, contract.ObserverResource, contract.ObserverVerb)
	cases := map[string]struct {
		reason    string
		rules     []rbacv1.PolicyRule
		precision api.Precision
		why       string
	}{
		"marked":   {"what config/rbac/observer.yaml gives", []rbacv1.PolicyRule{write, mark}, api.PrecisionRestored, ""},
		"unmarked": {"the policy does not know the account", []rbacv1.PolicyRule{write}, api.PrecisionDeclaredFields, contract.ObserverRole},
		"wildcard": {"the policy leaves owners alone", []rbacv1.PolicyRule{rule("*", "*", "*")}, api.PrecisionDeclaredFields, "wildcard"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := cluster.Namespace(t, c)
			i := observer(t, c, namespace)
			o := actingAs(t, c, i)
			client := kube(t, c)
			role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: i.ServiceAccount, Namespace: namespace}, Rules: tc.rules}
			if _, err := client.RbacV1().Roles(namespace).Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			obj := declared(t, o, namespace, "kinds/configmap.yaml")[0]
			apply(t, c, "helm", obj)
			seen := look(t, o, obj)
			if seen.Failure != nil || seen.Precision != tc.precision {
				t.Errorf("precision %s, failure %v; want %s: %s", seen.Precision, seen.Failure, tc.precision, tc.reason)
			}
			why, err := o.NoDryRuns(t.Context())
			if err != nil || (why == "") != (tc.why == "") || !strings.Contains(why, tc.why) {
				t.Errorf("no dry runs because %q, %v; want a word of %q: %s", why, err, tc.why, tc.reason)
			}
		})
	}
}
