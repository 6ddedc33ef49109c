// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package export is "export": what is declared in the cluster, as it would be
// written into Git.
//
// In: an Application or source of the cluster. Out: YAML without status,
// ownership and allocated fields; of an Application also its accounts and
// Roles. It never changes the cluster and prints no Secret.
package export

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/create"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/target"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of the verb.
type Options struct {
	Target   target.Target
	Accounts bool

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = export
	}
	cmd := &cobra.Command{
		Use:   "export NAME|KIND/NAME",
		Short: "Print an application with its accounts, a source or a rollout, as for Git",
		Long: `Print an Application, GitRepository, OCIRepository or StageRollout as it would be
written into Git: without status, ownership and what the server allocates. With an
Application come the accounts that it names, and the Roles bound to them in its
namespaces. Secrets are never printed.`,
		Example: `  # An application with its accounts
  holdfast export users-api -n users

  # A source
  holdfast export GitRepository/prod-manifests -n holdfast-system`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Target, err = target.Parse(args[0], "Application", "GitRepository", "OCIRepository", "StageRollout"); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.Accounts, "accounts", true, "with an Application: its accounts and their Roles too")
	return cmd
}

func export(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	object := o.Target.Object(c.Namespace())
	if err := c.Get(ctx, object.GetNamespace(), object.GetName(), object); err != nil {
		return err
	}
	var all []client.Object
	if app, ok := object.(*v1alpha1.Application); ok && o.Accounts {
		if all, err = identities(ctx, c, app); err != nil {
			return err
		}
	}
	var objects []*unstructured.Unstructured
	for _, o := range append(all, object) {
		u, err := bare(c, o)
		if err != nil {
			return err
		}
		objects = append(objects, u)
	}
	return create.Print(o.Terminal.Out, objects)
}

// bare leaves what a person would write.
func bare(c *cluster.Cluster, o client.Object) (*unstructured.Unstructured, error) {
	kind, err := apiutil.GVKForObject(o, c.Scheme())
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	unstructured.RemoveNestedField(u.Object, "status")
	for _, field := range []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "uid", "finalizers", "selfLink"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	notes := u.GetAnnotations()
	delete(notes, "kubectl.kubernetes.io/last-applied-configuration")
	delete(notes, "reconcile.fluxcd.io/requestedAt")
	u.SetAnnotations(notes)
	if len(notes) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
	}
	return u, nil
}

// identities are the accounts that an Application names, the Roles that are
// bound to them, and what lets the drift-controller act as them.
func identities(ctx context.Context, c *cluster.Cluster, app *v1alpha1.Application) ([]client.Object, error) {
	id := app.Spec.Identity
	var names []string
	var all []client.Object
	for _, name := range []string{id.Observe, id.Apply, id.Prune} {
		if name == "" || slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		account := &corev1.ServiceAccount{}
		if err := c.Get(ctx, app.Namespace, name, account); err != nil {
			return nil, err
		}
		account.Secrets, account.ImagePullSecrets = nil, nil
		all = append(all, account)
	}
	spaces := []string{app.Namespace}
	if to := app.Spec.Destination.Namespace; to != "" && to != app.Namespace {
		spaces = append(spaces, to)
	}
	for _, space := range spaces {
		found, err := roles(ctx, c, space, bound{app.Namespace, names})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// bound is who a binding has to be about.
type bound struct {
	namespace string
	accounts  []string
}

func roles(ctx context.Context, c *cluster.Cluster, namespace string, to bound) ([]client.Object, error) {
	var bindings rbacv1.RoleBindingList
	if err := c.List(ctx, &bindings, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	var all []client.Object
	for i := range bindings.Items {
		b := &bindings.Items[i]
		var role *rbacv1.Role
		if b.RoleRef.Kind == "Role" {
			role = &rbacv1.Role{}
			if err := c.Get(ctx, namespace, b.RoleRef.Name, role); err != nil {
				return nil, err
			}
		}
		if !to.by(b) && !to.lets(role) {
			continue
		}
		if role != nil {
			all = append(all, role)
		}
		all = append(all, b)
	}
	return all, nil
}

func (t bound) by(b *rbacv1.RoleBinding) bool {
	return slices.ContainsFunc(b.Subjects, func(s rbacv1.Subject) bool {
		return s.Kind == "ServiceAccount" && s.Namespace == t.namespace && slices.Contains(t.accounts, s.Name)
	})
}

// lets: the role is what the drift-controller acts as these accounts by.
func (t bound) lets(role *rbacv1.Role) bool {
	if role == nil || len(role.Rules) != 1 || !slices.Equal(role.Rules[0].Verbs, []string{"impersonate"}) {
		return false
	}
	return slices.ContainsFunc(role.Rules[0].ResourceNames, func(n string) bool { return slices.Contains(t.accounts, n) })
}
