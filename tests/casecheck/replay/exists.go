// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Exists says whether an object is live. One of a kind that is not served any
// more is not.
func (s *Stage) Exists(ctx context.Context, id manifest.ID, version string) (bool, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: id.Group, Version: version, Kind: id.Kind})
	object.SetNamespace(id.Namespace)
	object.SetName(id.Name)
	found, err := s.get(ctx, object)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	return found != nil, err
}

// get gives nil for an object that is not there.
func (s *Stage) get(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	resource, err := s.resource(object)
	if err != nil {
		return nil, err
	}
	found, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return found, err
}
