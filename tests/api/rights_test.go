// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// may asks the API server itself what an account of holdfast-system may do.
func may(t testing.TB, c *cluster.Cluster, name string, attributes *authorizationv1.ResourceAttributes) bool {
	t.Helper()
	namespace := "holdfast-system"
	user := "system:serviceaccount:" + namespace + ":" + name
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               user,
		Groups:             []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		ResourceAttributes: attributes,
	}}
	answer, err := admin(t, c).AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Status.Allowed
}

// TestRightsOfControllers: the security engineer's question, answered by RBAC.
func TestRightsOfControllers(t *testing.T) {
	c := installed(t)
	tests := map[string]struct {
		account, verbs, group, resource, subresource, namespace, name string
		allowed                                                       bool
	}{
		"drift reads what people declare":                              {account: "drift-controller", verbs: "get list watch", group: "drift.holdfast.dev", resource: "applications", namespace: "users", allowed: true},
		"drift answers in the status":                                  {account: "drift-controller", verbs: "patch update", group: "drift.holdfast.dev", resource: "applications", subresource: "status", namespace: "users", allowed: true},
		"drift keeps its pages":                                        {account: "drift-controller", verbs: "create patch update delete", group: "drift.holdfast.dev", resource: "driftreports", namespace: "users", allowed: true},
		"drift reads sources":                                          {account: "drift-controller", verbs: "get list watch", group: "source.toolkit.fluxcd.io", resource: "gitrepositories", namespace: "users", allowed: true},
		"drift acts as the accounts that it may":                       {account: "drift-controller", verbs: "impersonate", resource: "serviceaccounts", namespace: "users", name: "users-observer", allowed: true},
		"drift acts as no other account":                               {account: "drift-controller", verbs: "impersonate", resource: "serviceaccounts", namespace: "users", name: "default"},
		"drift acts as no person":                                      {account: "drift-controller", verbs: "impersonate", resource: "users", name: "anna"},
		"drift acts as no group":                                       {account: "drift-controller", verbs: "impersonate", resource: "groups", name: "system:masters"},
		"drift touches no workload":                                    {account: "drift-controller", verbs: "get list create patch update delete", group: "apps", resource: "deployments", namespace: "users"},
		"drift reads no secret":                                        {account: "drift-controller", verbs: "get list watch", resource: "secrets", namespace: "users"},
		"drift reads no secret of its own":                             {account: "drift-controller", verbs: "get list watch", resource: "secrets", namespace: "holdfast-system"},
		"drift reads no config":                                        {account: "drift-controller", verbs: "get list watch", resource: "configmaps", namespace: "users"},
		"drift approves nothing":                                       {account: "drift-controller", verbs: "create patch update", group: "drift.holdfast.dev", resource: "approvals", namespace: "users"},
		"drift makes no application":                                   {account: "drift-controller", verbs: "create delete", group: "drift.holdfast.dev", resource: "applications", namespace: "users"},
		"drift raises no limit":                                        {account: "drift-controller", verbs: "create patch update", group: "drift.holdfast.dev", resource: "projects"},
		"drift grants nothing":                                         {account: "drift-controller", verbs: "create patch bind escalate", group: "rbac.authorization.k8s.io", resource: "roles", namespace: "users"},
		"drift loosens no policy":                                      {account: "drift-controller", verbs: "create patch update delete", group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies"},
		"drift asks a source whether it is up to date":                 {account: "drift-controller", verbs: "patch", group: "source.toolkit.fluxcd.io", resource: "gitrepositories", namespace: "users", allowed: true},
		"drift answers an emergency":                                   {account: "drift-controller", verbs: "patch update", group: "drift.holdfast.dev", resource: "breakglasses", subresource: "status", namespace: "users", allowed: true},
		"drift opens no emergency":                                     {account: "drift-controller", verbs: "create patch update delete", group: "drift.holdfast.dev", resource: "breakglasses", namespace: "users"},
		"drift leaves sources to others":                               {account: "drift-controller", verbs: "create update delete", group: "source.toolkit.fluxcd.io", resource: "gitrepositories", namespace: "users"},
		"drift writes the finalizer (config/policy/applications.yaml)": {account: "drift-controller", verbs: "patch", group: "drift.holdfast.dev", resource: "applications", namespace: "users", allowed: true},
		"drift edits no application":                                   {account: "drift-controller", verbs: "update", group: "drift.holdfast.dev", resource: "applications", namespace: "users"},
		"drift reads what mutates":                                     {account: "drift-controller", verbs: "get list watch", group: "admissionregistration.k8s.io", resource: "mutatingwebhookconfigurations", allowed: true},
		"drift reads the policy for observers":                         {account: "drift-controller", verbs: "get list watch", group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies", allowed: true},
		"drift disturbs no lease but its own namespace's":              {account: "drift-controller", verbs: "get update patch delete", group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease"},
		"source answers in the status":                                 {account: "source-controller", verbs: "patch", group: "source.toolkit.fluxcd.io", resource: "gitrepositories", subresource: "status", namespace: "users", allowed: true},
		"source answers for artifacts of registries":                   {account: "source-controller", verbs: "patch", group: "source.toolkit.fluxcd.io", resource: "ocirepositories", subresource: "status", namespace: "users", allowed: true},
		"source reads pull secrets of accounts":                        {account: "source-controller", verbs: "get", resource: "serviceaccounts", namespace: "users", allowed: true},
		"source makes no token of an account":                          {account: "source-controller", verbs: "create", resource: "serviceaccounts", subresource: "token", namespace: "users"},
		"source reads credentials by name":                             {account: "source-controller", verbs: "get", resource: "secrets", namespace: "users", allowed: true},
		"source enumerates no secrets":                                 {account: "source-controller", verbs: "list watch", resource: "secrets", namespace: "users"},
		"source changes no secret":                                     {account: "source-controller", verbs: "create patch update delete", resource: "secrets", namespace: "users"},
		"source deletes no source":                                     {account: "source-controller", verbs: "create delete", group: "source.toolkit.fluxcd.io", resource: "gitrepositories", namespace: "users"},
		"source acts as nobody":                                        {account: "source-controller", verbs: "impersonate", resource: "serviceaccounts", namespace: "users", name: "users-observer"},
		"source knows no application":                                  {account: "source-controller", verbs: "get list patch", group: "drift.holdfast.dev", resource: "applications", namespace: "users"},
		"secrets reads the declarations":                               {account: "secrets-controller", verbs: "get list watch", group: "external-secrets.io", resource: "externalsecrets", namespace: "users", allowed: true},
		"secrets keeps its pages":                                      {account: "secrets-controller", verbs: "create patch update delete", group: "secrets.holdfast.dev", resource: "secretreports", namespace: "users", allowed: true},
		"secrets asks for no secret by name":                           {account: "secrets-controller", verbs: "get", resource: "secrets", namespace: "users"},
		"secrets lists their names (config/rbac/secret-names.yaml)":    {account: "secrets-controller", verbs: "list watch", resource: "secrets", namespace: "users", allowed: true},
		"secrets changes no secret":                                    {account: "secrets-controller", verbs: "create update patch delete", resource: "secrets", namespace: "users"},
		"secrets changes no declaration":                               {account: "secrets-controller", verbs: "create patch update delete", group: "external-secrets.io", resource: "externalsecrets", namespace: "users"},
		"secrets acts as nobody":                                       {account: "secrets-controller", verbs: "impersonate", resource: "serviceaccounts", namespace: "users", name: "users-observer"},
		"secrets leaves the application's status":                      {account: "secrets-controller", verbs: "patch update", group: "drift.holdfast.dev", resource: "applications", subresource: "status", namespace: "users"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, verb := range strings.Fields(test.verbs) {
				got := may(t, c, test.account, &authorizationv1.ResourceAttributes{
					Verb: verb, Group: test.group, Resource: test.resource, Subresource: test.subresource,
					Namespace: test.namespace, Name: test.name,
				})
				if got != test.allowed {
					t.Errorf("%s may %s %s.%s/%s in %q: got %t, want %t",
						test.account, verb, test.resource, test.group, test.subresource, test.namespace, got, test.allowed)
				}
			}
		})
	}
}

// TestActingAsAnObserver: the whole chain that stage Observe needs, from the
// drift-controller's own token: act, read, dry-run, and nothing beyond.
func TestActingAsAnObserver(t *testing.T) {
	c := installed(t)
	observer := client(t, asController(t, c, "users", "users-observer"))
	eventually(t, "the observer may list", func(ctx context.Context) (bool, error) {
		_, err := observer.AppsV1().Deployments("users").List(ctx, metav1.ListOptions{})
		return err == nil, err
	})
	if err := writes["create"](t.Context(), observer, "users", dryRun); err != nil {
		t.Errorf("dry run: %v", err)
	}
	if _, err := observer.CoreV1().Secrets("users").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("secrets of its namespace, to compare them: %v", err)
	}
	if _, err := observer.CoreV1().Secrets("holdfast-system").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("secrets of another namespace: got %v, want a refusal", err)
	}
	if err := observer.CoreV1().ConfigMaps("users").Delete(t.Context(), "kube-root-ca.crt", metav1.DeleteOptions{DryRun: dryRun}); !apierrors.IsForbidden(err) {
		t.Errorf("a deletion, even as a dry run: got %v, want a refusal", err)
	}
	direct := client(t, withToken(t, c, "holdfast-system", "drift-controller"))
	if _, err := direct.AppsV1().Deployments("users").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the drift-controller under its own name: got %v, want a refusal", err)
	}
}
