// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
)

// Oldest is the first release that serves ValidatingAdmissionPolicy v1, which
// holds observers to dry runs; Newest is what the tests ran on.
const (
	Oldest = "1.30"
	Newest = "1.36"
)

// Needed is what an install creates.
func Needed() []schema.GroupResource {
	return []schema.GroupResource{
		{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
		{Group: "rbac.authorization.k8s.io", Resource: "clusterroles"},
		{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings"},
		{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies"},
		{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicybindings"},
		{Group: "apps", Resource: "deployments"},
		{Resource: "namespaces"},
	}
}

// Able asks whether these objects can be applied here, by this user, before
// anything is written anywhere: what a repository holds already and the cluster
// then refuses would be half an install.
func (c Cluster) Able(ctx context.Context, objects []*unstructured.Unstructured) error {
	found, err := c.Versions(ctx)
	if err != nil {
		return err
	}
	v, err := version.ParseGeneric(found.Kubernetes)
	if err == nil && v.LessThan(version.MustParseGeneric(Oldest)) {
		return &cluster.Fault{Kind: cluster.Refused, What: fmt.Sprintf("the API server at %s is %s, and Holdfast needs %s or later", c.Place(), found.Kubernetes, Oldest),
			Next: "Older servers have no ValidatingAdmissionPolicy v1, which holds observers to dry runs. Upgrade the cluster first. Nothing was changed."}
	}
	missing, err := c.Missing(ctx)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &cluster.Fault{Kind: cluster.Forbidden, What: fmt.Sprintf("you may not %s at %s", strings.Join(missing, ", "), c.Place()),
			Next: "Ask an administrator to run this, or give them the output of holdfast install --export. Nothing was changed."}
	}
	return c.grantable(ctx, objects)
}

// Missing are the rights that an install needs and the user has not.
func (c Cluster) Missing(ctx context.Context) ([]string, error) {
	var missing []string
	for _, of := range Needed() {
		in := ""
		if of.Group == "apps" {
			in = manifests.Namespace
		}
		for _, verb := range []string{"create", "patch"} {
			may, err := c.May(ctx, verb, of, in)
			if err != nil {
				return nil, err
			}
			if !may {
				missing = append(missing, verb+" "+of.String())
			}
		}
	}
	return missing, nil
}

// grantable: who may make a ClusterRole may still not grant what is in it. Only
// the server can tell, by a dry run.
func (c Cluster) grantable(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, u := range objects {
		if u.GetKind() != "ClusterRole" {
			continue
		}
		if err := c.Writer.Try(ctx, u); apierrors.IsForbidden(err) {
			return &cluster.Fault{Kind: cluster.Forbidden, Cause: err, What: fmt.Sprintf("ClusterRole %s: %v", u.GetName(), err),
				Next: "You may make roles, but not grant what is in this one. Ask an administrator to run this. Nothing was changed."}
		}
	}
	return nil
}
