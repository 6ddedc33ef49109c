// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kinds of the group drift.holdfast.dev.
//
// People write Application, Project, StageRollout, Approval and BreakGlass;
// the drift-controller answers in their status and in the pages DriftReport
// and Inventory, whose content stands in status only. The package has types
// and their schema markers, and no behaviour.
//
// +kubebuilder:object:generate=true
// +groupName=drift.holdfast.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is drift.holdfast.dev/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "drift.holdfast.dev", Version: "v1alpha1"}

// AddToScheme registers the kinds of this group version.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Application{}, &ApplicationList{},
		&Approval{}, &ApprovalList{},
		&BreakGlass{}, &BreakGlassList{},
		&DriftReport{}, &DriftReportList{},
		&Inventory{}, &InventoryList{},
		&Project{}, &ProjectList{},
		&StageRollout{}, &StageRolloutList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
