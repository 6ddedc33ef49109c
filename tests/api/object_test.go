// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Resources of the kinds that people write.
var (
	applications   = schema.GroupVersionResource{Group: "drift.holdfast.dev", Version: "v1alpha1", Resource: "applications"}
	approvals      = applications.GroupVersion().WithResource("approvals")
	breakGlasses   = applications.GroupVersion().WithResource("breakglasses")
	projects       = applications.GroupVersion().WithResource("projects")
	stageRollouts  = applications.GroupVersion().WithResource("stagerollouts")
	secretPolicies = schema.GroupVersionResource{Group: "secrets.holdfast.dev", Version: "v1alpha1", Resource: "secretpolicies"}
)

// minimal gives the smallest valid object of a kind, fresh each time.
func minimal(resource schema.GroupVersionResource) *unstructured.Unstructured {
	kind := map[schema.GroupVersionResource]string{
		applications: "Application", approvals: "Approval", breakGlasses: "BreakGlass",
		projects: "Project", stageRollouts: "StageRollout", secretPolicies: "SecretPolicy",
	}[resource]
	spec := map[schema.GroupVersionResource]map[string]any{
		applications: {"sourceRef": map[string]any{"kind": "GitRepository", "name": "manifests"}},
		approvals: {
			"application": "api", "digest": "sha256:" + strings.Repeat("0a", 32), "by": "anna", "reason": "seen",
			"until": "2027-01-01T00:00:00Z",
		},
		breakGlasses:   {"application": "api", "reason": "failover", "requestedBy": "oncall", "until": "2027-01-01T00:00:00Z"},
		projects:       {"applicationNamespaces": []any{"users"}},
		stageRollouts:  {"target": "Sync", "waves": []any{map[string]any{"name": "all", "selector": map[string]any{}}}},
		secretPolicies: {},
	}[resource]
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(resource.GroupVersion().String())
	object.SetKind(kind)
	object.SetName("minimal")
	return object
}

// set changes a field, named as in spec.sourceRef.kind; nil removes it.
func set(t *testing.T, object *unstructured.Unstructured, path string, value any) {
	t.Helper()
	fields := strings.Split(path, ".")
	if value == nil {
		unstructured.RemoveNestedField(object.Object, fields...)
		return
	}
	if err := unstructured.SetNestedField(object.Object, value, fields...); err != nil {
		t.Fatalf("setting %s: %v", path, err)
	}
}

// try creates an object as a dry run and gives what would be stored.
func try(ctx context.Context, config *rest.Config, resource schema.GroupVersionResource, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	var target dynamic.ResourceInterface = client.Resource(resource)
	if resource != projects && resource != stageRollouts && resource != secretPolicies {
		target = client.Resource(resource).Namespace("users")
	}
	return target.Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// repeat gives a list of n equal items.
func repeat(n int, item any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = item
	}
	return list
}
