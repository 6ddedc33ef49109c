// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Scheme of the kinds that the verbs know.
func (c *Cluster) Scheme() *runtime.Scheme { return c.scheme }

// List fills a list. A namespace comes as an option.
func (c *Cluster) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	return c.at.explain(c.reader.List(ctx, into, opts...), c.titleOf(into))
}

// Get fills an object.
func (c *Cluster) Get(ctx context.Context, namespace, name string, into client.Object) error {
	err := c.reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into)
	if !apierrors.IsNotFound(err) {
		return c.at.explain(err, c.titleOf(into))
	}
	what := fmt.Sprintf("there is no %s %s", c.titleOf(into), name)
	if namespace != "" {
		what += " in namespace " + namespace
	}
	return &Fault{Kind: NotFound, What: what, Next: "Check the name and -n.", Cause: err}
}

// titleOf is the kind, and the group where that is not Kubernetes' own core.
func (c *Cluster) titleOf(o runtime.Object) string {
	kind, err := apiutil.GVKForObject(o, c.scheme)
	if err != nil {
		return fmt.Sprintf("%T", o)
	}
	if kind.Group == "" {
		return kind.Kind
	}
	return kind.Kind + "." + kind.Group
}

// User is who the API server takes the caller for.
func (c *Cluster) User(ctx context.Context) (string, error) {
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.creator.Create(ctx, review); err != nil {
		return "", c.at.explain(err, "who you are")
	}
	return review.Status.UserInfo.Username, nil
}

// May asks whether the caller may do something; it is a question, not a write.
func (c *Cluster) May(ctx context.Context, verb string, of schema.GroupResource, namespace string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: of.Group, Resource: of.Resource, Namespace: namespace,
		},
	}}
	if err := c.creator.Create(ctx, review); err != nil {
		return false, c.at.explain(err, "your rights")
	}
	return review.Status.Allowed, nil
}

// Explain turns an error of a request into a Fault with the next step.
func (c *Cluster) Explain(err error, doing string) error { return c.at.explain(err, doing) }

// Place is the server, and the context that it was named by.
func (c *Cluster) Place() string { return c.at.String() }

// IsKind says whether an error is a Fault of a kind.
func IsKind(err error, kind Kind) bool {
	var fault *Fault
	return errors.As(err, &fault) && fault.Kind == kind
}

// KindOf finds the kind that somebody means by "ConfigMap", "deployments" or
// "Deployment.apps", as the API server knows it.
func (c *Cluster) KindOf(word string) (schema.GroupVersionKind, error) {
	_, lists, err := c.versions.ServerGroupsAndResources()
	if len(lists) == 0 && err != nil {
		return schema.GroupVersionKind{}, c.at.explain(err, "its kinds")
	}
	name, group, grouped := strings.Cut(word, ".")
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || grouped && gv.Group != group {
			continue
		}
		for _, r := range list.APIResources {
			named := strings.EqualFold(r.Kind, name) || strings.EqualFold(r.Name, name) || slices.Contains(r.ShortNames, strings.ToLower(name))
			if named && !strings.Contains(r.Name, "/") {
				return gv.WithKind(r.Kind), nil
			}
		}
	}
	return schema.GroupVersionKind{}, &Fault{Kind: NotFound, What: fmt.Sprintf("the API server at %s has no kind %q", c.at, word),
		Next: "Name it as kubectl api-resources does, with its group if need be: Deployment.apps."}
}

// ResourceOf is a kind as RBAC names it, and whether it has namespaces.
func (c *Cluster) ResourceOf(kind schema.GroupVersionKind) (resource string, namespaced bool, err error) {
	list, err := c.versions.ServerResourcesForGroupVersion(kind.GroupVersion().String())
	if err != nil && !apierrors.IsNotFound(err) {
		return "", false, c.at.explain(err, "the kinds of "+kind.GroupVersion().String())
	}
	if list != nil {
		for _, r := range list.APIResources {
			if r.Kind == kind.Kind && !strings.Contains(r.Name, "/") {
				return r.Name, r.Namespaced, nil
			}
		}
	}
	return "", false, &Fault{Kind: NotFound, What: fmt.Sprintf("the API server at %s has no kind %s", c.at, kind),
		Next: "Install its CRD first: rights are given on resources that exist."}
}
