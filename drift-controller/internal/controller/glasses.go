// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
)

// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=breakglasses/status,verbs=get;update;patch

// answer tells each BreakGlass of the application what was done under it.
func (p *pass) answer(ctx context.Context) error {
	for _, before := range p.doing.glasses {
		status, ours := p.doing.emergency.Statuses[before.Name]
		if !ours || equality.Semantic.DeepEqual(before.Status, status) {
			continue
		}
		after := before.DeepCopy()
		after.Status = status
		patch := client.MergeFromWithOptions(&before, client.MergeFromWithOptimisticLock{})
		err := p.Status().Patch(ctx, after, patch, client.FieldOwner(contract.DriftFieldManager))
		if err = client.IgnoreNotFound(err); err != nil {
			return halt.Retryf(contract.APIUnavailableReason, "answering BreakGlass %s/%s: %w", before.Namespace, before.Name, err)
		}
	}
	return nil
}

// applicationOf is what a BreakGlass or an Approval is about.
func applicationOf(o client.Object) string {
	switch t := o.(type) {
	case *api.BreakGlass:
		return t.Spec.Application
	case *api.Approval:
		return t.Spec.Application
	}
	return ""
}
