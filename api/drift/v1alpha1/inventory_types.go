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
	// Pruned objects of the last days: they count against the budget of a day,
	// and an undo can bring them back.
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	Pruned []PrunedObject `json:"pruned,omitempty"`
}

// PrunedObject is one object that Holdfast has deleted, after the API server
// confirmed that it is gone.
type PrunedObject struct {
	Object ObjectReference `json:"object"`
	UID    types.UID       `json:"uid"`
	Time   metav1.Time     `json:"time"`
	// Revision whose render declared it no more.
	// +optional
	Revision string `json:"revision,omitempty"`
	// Undone: it was brought back, as another object of that name.
	// +optional
	Undone bool `json:"undone,omitempty"`
}

// Tombstone stands on an entry that Git declares no more. It is shown before
// anything is deleted, and it leaves if Git declares the object again.
type Tombstone struct {
	// Since is when a complete render first lacked the object.
	Since metav1.Time `json:"since"`
	// Shown is since when it stands here at a stage that grants a deletion.
	// +optional
	Shown *metav1.Time `json:"shown,omitempty"`
	// Until is when its quarantine ends, counted from there.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
	// Beside names what else changed when it went missing, so that the removal
	// may not be meant: a path, an input, an ignore file. It needs an Approval.
	// +optional
	Beside string `json:"beside,omitempty"`
	// Revision whose render declared it no more.
	// +optional
	Revision string `json:"revision,omitempty"`
	// Deleting: from here on a deletion may have been sent. It counts against
	// the budget whatever became of the process that sent it.
	// +optional
	Deleting *metav1.Time `json:"deleting,omitempty"`
}

// RevertedPlace is a path that was reverted lately, and who had written there.
type RevertedPlace struct {
	// Path is a JSON pointer; empty is the object.
	// +optional
	Path string `json:"path,omitempty"`
	// +kubebuilder:validation:MaxItems=32
	Times []metav1.Time `json:"times"`
	// +optional
	By string `json:"by,omitempty"`
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
	// Agreed holds short digests of what was approved for this object and is
	// not done yet, so that a restart asks nobody again.
	// +optional
	// +kubebuilder:validation:MaxItems=4096
	Agreed []string `json:"agreed,omitempty"`
	// Reverted are the places that were reverted lately: the breaker's memory.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Reverted []RevertedPlace `json:"reverted,omitempty"`
	// Inputs are short digests of what the object was last declared under,
	// beside manifests: the path, the spec, values of the cluster.
	// +optional
	Inputs string `json:"inputs,omitempty"`
	// Removed: Git declares the object no more.
	// +optional
	Removed *Tombstone `json:"removed,omitempty"`
	// Restored: an undo made it, so that it is deleted only after an Approval.
	// +optional
	Restored bool `json:"restored,omitempty"`
	// Since is when the object entered the inventory.
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// Applied holds one keyed digest (HMAC, hex) per declared path of what was
	// last applied, or of the baseline when the object was adopted.
	// +optional
	// +kubebuilder:validation:MaxProperties=4096
	Applied map[string]string `json:"applied,omitempty"`
}
