// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// policyName is in the message of a refusal by the policy. RBAC refuses with
// the same status and reason, so the name is all that tells them apart.
const policyName = "holdfast-observers"

var dryRun = []string{metav1.DryRunAll}

// account makes a service account with a role, and marks it as an observer if
// asked to.
func account(t testing.TB, c *cluster.Cluster, namespace string, observer bool, rules ...rbacv1.PolicyRule) string {
	t.Helper()
	client := admin(t, c)
	made, err := client.CoreV1().ServiceAccounts(namespace).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{GenerateName: "account-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: made.Name}, Rules: rules}
	if _, err := client.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	bind(t, client, namespace, made.Name, rbacv1.RoleRef{Kind: "Role", Name: made.Name})
	if observer {
		bind(t, client, namespace, made.Name, rbacv1.RoleRef{Kind: "ClusterRole", Name: "holdfast-observer"})
	}
	return made.Name
}

func bind(t testing.TB, client kubernetes.Interface, namespace, name string, role rbacv1.RoleRef) {
	t.Helper()
	role.APIGroup = rbacv1.GroupName
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}, RoleRef: role,
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
	if _, err := client.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// withToken is a configuration that holds the account's own token.
func withToken(t testing.TB, c *cluster.Cluster, namespace, name string) *rest.Config {
	t.Helper()
	request, err := admin(t, c).CoreV1().ServiceAccounts(namespace).
		CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(c.AdminConfig())
	config.BearerToken = request.Status.Token
	return config
}

// asController is the drift-controller, with its own rights, acting as an account.
func asController(t testing.TB, c *cluster.Cluster, namespace, name string) *rest.Config {
	t.Helper()
	config := withToken(t, c, "holdfast-system", "drift-controller")
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + name}
	return config
}

func client(t testing.TB, config *rest.Config) kubernetes.Interface {
	t.Helper()
	made, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// refusedByPolicy tells a refusal by the policy from one by RBAC.
func refusedByPolicy(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), policyName)
}

// write is one way to change the cluster.
type write func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error

// writes are all the ways that an observer with too many rights could take.
var writes = map[string]write{
	"create": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		_, err := c.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{DryRun: dry})
		return err
	},
	"apply": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		force := true
		_, err := c.CoreV1().ConfigMaps(namespace).Patch(ctx, "kept", types.ApplyPatchType,
			[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"key":"applied"}}`),
			metav1.PatchOptions{DryRun: dry, FieldManager: manager, Force: &force})
		return err
	},
	"apply of a new object": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		_, err := c.CoreV1().ConfigMaps(namespace).Patch(ctx, "new", types.ApplyPatchType,
			[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}`), metav1.PatchOptions{DryRun: dry, FieldManager: manager})
		return err
	},
	"patch": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		_, err := c.CoreV1().ConfigMaps(namespace).Patch(ctx, "kept", types.MergePatchType, []byte(`{"data":{"key":"patched"}}`), metav1.PatchOptions{DryRun: dry})
		return err
	},
	"update": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		_, err := c.CoreV1().ConfigMaps(namespace).Update(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Data: map[string]string{"key": "updated"}}, metav1.UpdateOptions{DryRun: dry})
		return err
	},
	"delete": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		return c.CoreV1().ConfigMaps(namespace).Delete(ctx, "kept", metav1.DeleteOptions{DryRun: dry})
	},
	"delete of a collection": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		return c.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, metav1.DeleteOptions{DryRun: dry}, metav1.ListOptions{})
	},
	"scale": func(ctx context.Context, c kubernetes.Interface, namespace string, dry []string) error {
		_, err := c.CoreV1().ReplicationControllers(namespace).Patch(ctx, "kept", types.MergePatchType,
			[]byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{DryRun: dry}, "scale")
		return err
	},
}

// everything is spelled out, since a wildcard is what an owner has.
var everything = []rbacv1.PolicyRule{
	{
		APIGroups: []string{""},
		Resources: []string{"configmaps", "replicationcontrollers", "replicationcontrollers/scale", "pods", "pods/eviction", "pods/exec", "serviceaccounts/token"},
		Verbs:     []string{"get", "list", "create", "update", "patch", "delete", "deletecollection"},
	},
}

// furnish makes what the writes are aimed at.
func furnish(t testing.TB, c *cluster.Cluster, namespace string) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: "kept"}
	labels := map[string]string{"app": "kept"}
	pod := corev1.PodSpec{Containers: []corev1.Container{{Name: "kept", Image: "example.com/kept"}}}
	for _, err := range []error{
		create(admin(t, c).CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"key": "kept"}}, metav1.CreateOptions{})),
		create(admin(t, c).CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{ObjectMeta: meta, Spec: pod}, metav1.CreateOptions{})),
		create(admin(t, c).CoreV1().ReplicationControllers(namespace).Create(t.Context(), &corev1.ReplicationController{
			ObjectMeta: meta,
			Spec: corev1.ReplicationControllerSpec{
				Replicas: new(int32), Selector: labels,
				Template: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
			},
		}, metav1.CreateOptions{})),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func create[T any](_ T, err error) error { return err }

// TestObserverCannotWrite: an observer whose role allows every write may try
// them all as dry runs, and none for real.
func TestObserverCannotWrite(t *testing.T) {
	c := installed(t)
	namespace := cluster.Namespace(t, c)
	furnish(t, c, namespace)
	observer := client(t, withToken(t, c, namespace, account(t, c, namespace, true, everything...)))
	eventually(t, "the policy is in force", func(ctx context.Context) (bool, error) {
		err := writes["patch"](ctx, observer, namespace, nil)
		return refusedByPolicy(err), err
	})
	before := state(t, c, namespace)
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			if err := write(t.Context(), observer, namespace, dryRun); err != nil {
				t.Errorf("as a dry run: %v, want it to pass", err)
			}
			if err := write(t.Context(), observer, namespace, nil); !refusedByPolicy(err) {
				t.Errorf("for real: %v, want a refusal by %s", err, policyName)
			}
			if after := state(t, c, namespace); after != before {
				t.Errorf("the namespace changed from %s to %s", before, after)
			}
		})
	}
	t.Run("a token for another account", func(t *testing.T) {
		_, err := observer.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if !refusedByPolicy(err) {
			t.Errorf("got %v, want a refusal: with it the observer would be somebody else", err)
		}
	})
	t.Run("an eviction", func(t *testing.T) {
		// Its dry run stands in the body, where no policy looks: refused too.
		err := observer.PolicyV1().Evictions(namespace).Evict(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "kept", Namespace: namespace}})
		if !refusedByPolicy(err) {
			t.Errorf("got %v, want a refusal", err)
		}
	})
	t.Run("a shell in a pod", func(t *testing.T) {
		err := observer.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name("kept").SubResource("exec").
			Param("command", "true").Param("stdout", "true").Do(t.Context()).Error()
		if !refusedByPolicy(err) {
			t.Errorf("got %v, want a refusal", err)
		}
	})
	t.Run("a question about its rights", func(t *testing.T) {
		review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}
		if _, err := observer.AuthorizationV1().SelfSubjectRulesReviews().Create(t.Context(), review, metav1.CreateOptions{}); err != nil {
			t.Errorf("got %v; a review persists nothing", err)
		}
	})
}

// state names what the writes are aimed at, with the versions that it has.
func state(t testing.TB, c *cluster.Cluster, namespace string) string {
	t.Helper()
	var seen []string
	maps, err := admin(t, c).CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps.Items {
		seen = append(seen, "configmap "+m.Name+" "+m.ResourceVersion)
	}
	pods, err := admin(t, c).CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pods.Items {
		seen = append(seen, "pod "+p.Name+" "+string(p.UID))
	}
	return strings.Join(seen, ", ")
}

// TestWhoIsAnObserver: RBAC says who is one, by whatever name and on whatever
// way the account comes, and nobody else is touched.
func TestWhoIsAnObserver(t *testing.T) {
	c := installed(t)
	namespace := cluster.Namespace(t, c)
	furnish(t, c, namespace)
	marked := account(t, c, namespace, true, everything...)
	plain := account(t, c, namespace, false, everything...)
	owner := account(t, c, namespace, false, rbacv1.PolicyRule{
		APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"},
	})
	boss := account(t, c, namespace, false)
	bindCluster(t, c, namespace, boss)
	tests := map[string]struct {
		reason  string
		config  *rest.Config
		refused bool
	}{
		"a marked account":            {"bound to holdfast-observer", withToken(t, c, namespace, marked), true},
		"an account without the mark": {"a deployer", withToken(t, c, namespace, plain), false},
		"an owner of the namespace":   {"a wildcard holds every verb, this one too", withToken(t, c, namespace, owner), false},
		"a cluster administrator":     {"as above, in all namespaces", withToken(t, c, namespace, boss), false},
		"a person":                    {"no service account", c.AdminConfig(), false},
		"the sample's observer, by the drift-controller": {
			"the way that it is used", asController(t, c, "users", "users-observer"), true,
		},
		"the sample's deployer, by the drift-controller": {
			"stages above Observe write", asController(t, c, "users", "users-deployer"), false,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := namespace
			if test.config.Impersonate.UserName != "" {
				in = "users"
			}
			made := client(t, test.config)
			eventually(t, "the account may dry-run", func(ctx context.Context) (bool, error) {
				err := writes["create"](ctx, made, in, dryRun)
				return err == nil, err
			})
			// The same request twice: a policy that has just been read is in
			// force a moment later.
			eventually(t, test.reason, func(ctx context.Context) (bool, error) {
				err := writes["create"](ctx, made, in, nil)
				if !test.refused && err == nil {
					remove(t, c, in)
				}
				return refusedByPolicy(err) == test.refused && (test.refused || err == nil), err
			})
		})
	}
}

func bindCluster(t testing.TB, c *cluster.Cluster, namespace, name string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "boss-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
	made, err := admin(t, c).RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin(t, c).RbacV1().ClusterRoleBindings().Delete(context.Background(), made.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// remove makes room for the next account's write.
func remove(t testing.TB, c *cluster.Cluster, namespace string) {
	t.Helper()
	if err := admin(t, c).CoreV1().ConfigMaps(namespace).Delete(t.Context(), "new", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
