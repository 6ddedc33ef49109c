// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Inventory is one page of an Application's memory: which objects it has
// judged and applied, and a keyed digest per declared path. It stores no value.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=hinv,categories=holdfast,path=inventories
// +kubebuilder:printcolumn:name="Application",type=string,JSONPath=`.metadata.labels.drift\.holdfast\.dev/application`
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.status.count`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Inventory struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status InventoryStatus `json:"status,omitempty"`
}

// InventoryList is a list of pages.
//
// +kubebuilder:object:root=true
type InventoryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Inventory `json:"items"`
}

// InventoryStatus is the content of a page.
type InventoryStatus struct {
	// +optional
	Count int32 `json:"count,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	Objects []InventoryEntry `json:"objects,omitempty"`
}

// Verdict is the judgement of one object.
//
// +kubebuilder:validation:Enum=InSync;Drifted;Missing;Unknown
type Verdict string

// The verdicts.
const (
	VerdictInSync  Verdict = "InSync"
	VerdictDrifted Verdict = "Drifted"
	VerdictMissing Verdict = "Missing"
	VerdictUnknown Verdict = "Unknown"
)

// Origin is how an object came into the inventory.
//
// +kubebuilder:validation:Enum=Applied;Adopted
type Origin string

// The origins. Adopted: it was there before Holdfast.
const (
	OriginApplied Origin = "Applied"
	OriginAdopted Origin = "Adopted"
)

// InventoryEntry is one object.
type InventoryEntry struct {
	Object ObjectReference `json:"object"`
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// ResourceVersion that was judged.
	// +optional
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Verdict and Key: what was judged, and under which desired object, schema
	// and admission configuration. A restart re-judges what has the same.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
	// +optional
	Key string `json:"key,omitempty"`
	// +optional
	Precision Precision `json:"precision,omitempty"`
	// +optional
	Origin Origin `json:"origin,omitempty"`
	// Settled: at the step to Sync, what Git declared then became the baseline
	// of this object.
	// +optional
	Settled bool `json:"settled,omitempty"`
	// Backlog holds the short forms of the paths whose difference is older than
	// the step to SelfHeal.
	// +optional
	// +kubebuilder:validation:MaxItems=4096
	Backlog []string `json:"backlog,omitempty"`
	// Since is when the object entered the inventory.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// Applied holds one keyed digest (HMAC, hex) per declared path of what was
	// last applied, or of the baseline when the object was adopted.
	// +optional
	// +kubebuilder:validation:MaxProperties=4096
	Applied map[string]string `json:"applied,omitempty"`
}
