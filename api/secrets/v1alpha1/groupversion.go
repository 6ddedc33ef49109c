// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kinds of the group secrets.holdfast.dev.
//
// People write SecretPolicy; the secrets-controller answers in the pages of
// SecretReport, whose content stands in status only. No field of either kind
// holds a secret's value or a piece of one.
//
// +kubebuilder:object:generate=true
// +groupName=secrets.holdfast.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is secrets.holdfast.dev/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: "secrets.holdfast.dev", Version: "v1alpha1"}

// AddToScheme registers the kinds of this group version.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&SecretPolicy{}, &SecretPolicyList{},
		&SecretReport{}, &SecretReportList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
