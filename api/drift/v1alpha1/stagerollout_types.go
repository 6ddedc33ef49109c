// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StageRollout raises the Applications that name it towards a stage, wave by
// wave, when its gates hold. It never edits an Application.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=hroll,categories=holdfast
// +kubebuilder:printcolumn:name="Target",type=string,JSONPath=`.spec.target`
// +kubebuilder:printcolumn:name="Applications",type=integer,JSONPath=`.status.applications`
// +kubebuilder:printcolumn:name="At Target",type=integer,JSONPath=`.status.atTarget`
// +kubebuilder:printcolumn:name="Wave",type=string,JSONPath=`.status.wave`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type StageRollout struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   StageRolloutSpec   `json:"spec"`
	Status StageRolloutStatus `json:"status,omitempty"`
}

// StageRolloutList is a list of StageRollouts.
//
// +kubebuilder:object:root=true
type StageRolloutList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []StageRollout `json:"items"`
}

// StageRolloutSpec is the target, the order and the gates.
type StageRolloutSpec struct {
	Target Stage `json:"target"`
	// Waves in order; an Application belongs to the first that selects it.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Waves []Wave `json:"waves"`
	// +optional
	Gates Gates `json:"gates,omitempty"`
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// Wave selects Applications by their labels.
type Wave struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name     string               `json:"name"`
	Selector metav1.LabelSelector `json:"selector"`
}

// Gates must all hold before an Application is raised one stage.
type Gates struct {
	// Soak is how long the present stage must have lasted.
	// +optional
	// +kubebuilder:default="24h"
	Soak *metav1.Duration `json:"soak,omitempty"`
	// MaxUntriagedDrift: entries that count as drift and are in no approved
	// plan. What only waits for a sync needs nobody's eye and does not count.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	MaxUntriagedDrift *int32 `json:"maxUntriagedDrift,omitempty"`
	// +optional
	// +kubebuilder:default=true
	Healthy *bool `json:"healthy,omitempty"`
	// +optional
	// +kubebuilder:default=true
	SecretsValid *bool `json:"secretsValid,omitempty"`
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxStrays *int32 `json:"maxStrays,omitempty"`
	// PlanApproved asks for an Approval of the heal plan before SelfHeal and of
	// the prune plan before Prune.
	// +optional
	PlanApproved bool `json:"planApproved,omitempty"`
}

// StageRolloutStatus keeps counts, and at most 50 names.
type StageRolloutStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	// +kubebuilder:default=0
	Applications int32 `json:"applications"`
	// +optional
	// +kubebuilder:default=0
	AtTarget int32 `json:"atTarget"`
	// Wave whose turn it is; empty when every Application of every wave has
	// arrived at the target, or at what its own ceiling and Project allow.
	// +optional
	Wave string `json:"wave,omitempty"`
	// WaitsFor is one Application of that wave that has not arrived.
	// +optional
	WaitsFor string `json:"waitsFor,omitempty"`
	// Held are Applications below the target.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	Held []string `json:"held,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
