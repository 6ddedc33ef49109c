// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/installation"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
)

// after checks what an install left.
func after(ctx context.Context, c *cluster.Cluster) report.Checks {
	checks := report.Checks{kinds(ctx, c), policy(ctx, c)}
	for _, name := range manifests.Components() {
		checks = append(checks, controller(ctx, c, name))
	}
	return checks
}

func kinds(ctx context.Context, c *cluster.Cluster) report.Check {
	check := report.Check{Name: "kinds", State: report.Passed}
	found, err := c.Versions(ctx)
	if err != nil {
		return report.Check{Name: check.Name, State: report.NotKnown, Message: err.Error()}
	}
	check.Message = strings.Join(found.Groups, ", ")
	for _, want := range []string{v1alpha1.GroupVersion.String(), secretsv1.GroupVersion.String()} {
		if !slices.Contains(found.Groups, want) {
			check.State, check.Message = report.NotPassed, "the API server does not serve "+want
			check.Next = "Install Holdfast: holdfast install"
		}
	}
	return check
}

// policy: without it RBAC alone would let an observer write.
func policy(ctx context.Context, c *cluster.Cluster) report.Check {
	check := report.Check{Name: "observers are held to dry runs", State: report.Passed, Message: "by ValidatingAdmissionPolicy " + contract.ObserverPolicy}
	for _, kind := range []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"} {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: kind})
		err := c.Get(ctx, "", contract.ObserverPolicy, o)
		switch {
		case cluster.IsKind(err, cluster.NotFound):
			check.State, check.Message = report.NotPassed, "there is no "+kind+" "+contract.ObserverPolicy
			check.Next = "Run holdfast install again. Until then only RBAC keeps observers from writing; the drift-controller itself never does at Observe."
			return check
		case err != nil:
			return report.Check{Name: check.Name, State: report.NotKnown, Message: err.Error()}
		}
	}
	return check
}

func controller(ctx context.Context, c *cluster.Cluster, name string) report.Check {
	check := report.Check{Name: name, State: report.Passed}
	var d appsv1.Deployment
	err := c.Get(ctx, manifests.Namespace, name, &d)
	if cluster.IsKind(err, cluster.NotFound) {
		check.State, check.Message, check.Next = report.Warned, "not installed in "+manifests.Namespace, "That is as it should be if it was left out on purpose."
		return check
	}
	if err != nil {
		return report.Check{Name: name, State: report.NotKnown, Message: err.Error()}
	}
	ready, word := installation.Ready(&d)
	check.Message = word
	if len(d.Spec.Template.Spec.Containers) > 0 {
		check.Message = d.Spec.Template.Spec.Containers[0].Image + ": " + word
	}
	if !ready {
		check.State, check.Next = report.NotPassed, "Look at its pods and its log: kubectl -n "+manifests.Namespace+" logs deploy/"+name
	}
	return check
}
