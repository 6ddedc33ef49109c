// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Approval lets one plan of one Application run. A plan that changes needs a
// new one.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=happrove,categories=holdfast
// +kubebuilder:printcolumn:name="Application",type=string,JSONPath=`.spec.application`
// +kubebuilder:printcolumn:name="Plan",type=string,JSONPath=`.spec.digest`
// +kubebuilder:printcolumn:name="By",type=string,JSONPath=`.spec.by`
// +kubebuilder:printcolumn:name="Until",type=string,JSONPath=`.spec.until`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.spec.reason`
type Approval struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ApprovalSpec `json:"spec"`
}

// ApprovalList is a list of Approvals.
//
// +kubebuilder:object:root=true
type ApprovalList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Approval `json:"items"`
}

// ApprovalSpec is who approved which plan, why and until when.
//
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="an Approval is not edited: delete it and approve the new plan"
type ApprovalSpec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Application string `json:"application"`
	// Digest of the plan: of status.plans.heal, prune or undo.
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	Digest string `json:"digest"`
	// Objects of an undo plan that are meant; empty is all of it. Plans to heal
	// and to prune are approved as a whole, and not while this is set.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Objects []KindSelector `json:"objects,omitempty"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	By string `json:"by"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Reason string      `json:"reason"`
	Until  metav1.Time `json:"until"`
}

// BreakGlass stops sync, heal and prune of one Application for a while, so
// that it can be repaired by hand.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=hbg,categories=holdfast,path=breakglasses
// +kubebuilder:printcolumn:name="Application",type=string,JSONPath=`.spec.application`
// +kubebuilder:printcolumn:name="Until",type=string,JSONPath=`.spec.until`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="In Git",type=integer,JSONPath=`.status.counts.inGit`
// +kubebuilder:printcolumn:name="Not In Git",type=integer,JSONPath=`.status.counts.notInGit`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.spec.reason`
type BreakGlass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BreakGlassSpec   `json:"spec"`
	Status BreakGlassStatus `json:"status,omitempty"`
}

// BreakGlassList is a list of BreakGlasses.
//
// +kubebuilder:object:root=true
type BreakGlassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BreakGlass `json:"items"`
}

// BreakGlassSpec is the scope, the reason and the end.
//
// +kubebuilder:validation:XValidation:rule="self.application == oldSelf.application",message="application cannot change: open another BreakGlass"
type BreakGlassSpec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Application string `json:"application"`
	// Objects in scope; empty is the whole application.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Objects []KindSelector `json:"objects,omitempty"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	RequestedBy string `json:"requestedBy"`
	// Until is the end, capped by the Project's maxDuration.
	Until metav1.Time `json:"until"`
}

// BreakGlassStatus lists what was done by hand.
type BreakGlassStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	// +kubebuilder:validation:Enum=Open;Held;Ended
	Phase string `json:"phase,omitempty"`
	// +optional
	Counts BreakGlassCounts `json:"counts,omitempty"`
	// InGit: edits since opening that Git holds now.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	InGit []string `json:"inGit,omitempty"`
	// NotInGit: edits since opening that Git does not hold.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	NotInGit []string `json:"notInGit,omitempty"`
	// Older drift, from before the opening.
	// +optional
	// +kubebuilder:validation:MaxItems=100
	Older []string `json:"older,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// BreakGlassCounts counts edits. The defaults are for merge patches, which
// leave out a zero that the API server never had.
type BreakGlassCounts struct {
	// +kubebuilder:default=0
	InGit int32 `json:"inGit"`
	// +kubebuilder:default=0
	NotInGit int32 `json:"notInGit"`
	// +kubebuilder:default=0
	Older int32 `json:"older"`
}
