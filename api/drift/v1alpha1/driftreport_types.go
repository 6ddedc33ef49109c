// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DriftReport is one page of an Application's differences. An object's entries
// always stand on the page that its identity hashes to, so that one new entry
// rewrites one page.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=drift;drifts,categories=holdfast
// +kubebuilder:printcolumn:name="Application",type=string,JSONPath=`.metadata.labels.drift\.holdfast\.dev/application`
// +kubebuilder:printcolumn:name="Entries",type=integer,JSONPath=`.status.counts.total`
// +kubebuilder:printcolumn:name="Drift",type=integer,JSONPath=`.status.counts.drift`
// +kubebuilder:printcolumn:name="What",type=string,JSONPath=`.status.headline.object`
// +kubebuilder:printcolumn:name="Where",type=string,JSONPath=`.status.headline.path`
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.status.headline.class`
// +kubebuilder:printcolumn:name="Who",type=string,JSONPath=`.status.headline.who`
// +kubebuilder:printcolumn:name="Since",type=date,JSONPath=`.status.headline.since`
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=`.status.headline.next`
type DriftReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status DriftReportStatus `json:"status,omitempty"`
}

// DriftReportList is a list of pages.
//
// +kubebuilder:object:root=true
type DriftReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DriftReport `json:"items"`
}

// DriftReportStatus is the content of a page.
type DriftReportStatus struct {
	// Revision and Digest of the artifact that the entries are about.
	// +optional
	Revision string `json:"revision,omitempty"`
	// +optional
	Digest string `json:"digest,omitempty"`
	// +optional
	Counts EntryCounts `json:"counts,omitempty"`
	// Headline is the entry that matters most on this page, in one line.
	// +optional
	Headline *Headline `json:"headline,omitempty"`
	// Truncated counts entries that did not fit on the page; they are counted
	// in the Application's summary.
	// +optional
	Truncated int32 `json:"truncated,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=1000
	Entries []DriftEntry `json:"entries,omitempty"`
}

// EntryCounts counts the entries of a page.
type EntryCounts struct {
	Total int32 `json:"total"`
	// Drift counts the entries that count as drift.
	Drift int32 `json:"drift"`
}

// Headline is one entry in words.
type Headline struct {
	Object string `json:"object"`
	// +optional
	Path  string `json:"path,omitempty"`
	Class Class  `json:"class"`
	// Who wrote the live value, or "unknown".
	Who string `json:"who"`
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// Next says what will happen at the present stage.
	Next string `json:"next"`
}

// ObjectReference identifies an object of the cluster.
type ObjectReference struct {
	// +optional
	Group   string `json:"group,omitempty"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// DifferenceKind is Changed, Added or Absent, as seen from live.
//
// +kubebuilder:validation:Enum=Changed;Added;Absent
type DifferenceKind string

// The kinds of difference. An object that is missing is Absent at the empty
// path, a stray is Added there.
const (
	Changed DifferenceKind = "Changed"
	Added   DifferenceKind = "Added"
	Absent  DifferenceKind = "Absent"
)

// DriftEntry is one difference between live and restored, explained.
type DriftEntry struct {
	Object ObjectReference `json:"object"`
	// Path is a JSON pointer; list items stand by their keys, as in
	// /spec/template/spec/containers/[name=api]/image. Empty is the object.
	// +optional
	Path string `json:"path,omitempty"`
	// +optional
	Kind DifferenceKind `json:"kind,omitempty"`
	// Class says why the difference exists; Drift whether it counts.
	Class Class `json:"class"`
	Drift bool  `json:"drift"`
	// Explanation is the rule that decided the class, in words.
	// +optional
	Explanation string `json:"explanation,omitempty"`
	// Wanted is what Git says; absent if Git declares no such field.
	// +optional
	Wanted *Value `json:"wanted,omitempty"`
	// Live is what the cluster has; absent if it has no such field.
	// +optional
	Live *Value `json:"live,omitempty"`
	// Managers own the path in live. None: nobody is recorded.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	Managers []FieldManager `json:"managers,omitempty"`
	// FirstSeen is when the drift-controller first saw this difference.
	FirstSeen metav1.Time `json:"firstSeen"`
	// Backlog: older than the step to SelfHeal, or shown again by an ignore
	// rule that ended, so that it is healed only as spec.heal.backlog says.
	// +optional
	Backlog bool `json:"backlog,omitempty"`
	// DeleteAfter: the entry is a tombstone, and the object is deleted not before
	// this time, whatever else is needed for it.
	// +optional
	DeleteAfter *metav1.Time `json:"deleteAfter,omitempty"`
	// DeclaredAt is where Git declares the field, as far as the render tells.
	// +optional
	DeclaredAt string `json:"declaredAt,omitempty"`
	// Consumers are declared objects that read or lead to this one, if the
	// difference touches what they read.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	Consumers []Consumer `json:"consumers,omitempty"`
	// MoreConsumers counts those beyond the list.
	// +optional
	MoreConsumers int32 `json:"moreConsumers,omitempty"`
	// Next says what will happen at the present stage.
	// +optional
	Next string `json:"next,omitempty"`
	// SuggestionKind is what the suggestion is.
	// +optional
	SuggestionKind SuggestionKind `json:"suggestionKind,omitempty"`
	// Suggestion is a command or change that would settle the difference. It
	// never holds a value that is masked.
	// +optional
	Suggestion string `json:"suggestion,omitempty"`
}

// SuggestionKind is what a suggestion would have its reader do.
//
//	GitPatch  let Git say what live has: a command that writes the patch
//	Revert    let live be what Git says: a command that sets it back
//	Prune     delete what Git does not have: a command that does
//	Ignore    a narrow rule, in YAML, for what another controller owns
//
// +kubebuilder:validation:Enum=GitPatch;Revert;Prune;Ignore
type SuggestionKind string

// The kinds of suggestion.
const (
	SuggestGitPatch SuggestionKind = "GitPatch"
	SuggestRevert   SuggestionKind = "Revert"
	SuggestPrune    SuggestionKind = "Prune"
	SuggestIgnore   SuggestionKind = "Ignore"
)

// Value is a value as JSON text, at most 4 KiB; longer ones are cut to the
// first line that differs. A masked value is a keyed digest instead.
type Value struct {
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	JSON string `json:"json,omitempty"`
	// Digest: a keyed digest of the whole value, where it is cut or masked.
	// +optional
	Digest string `json:"digest,omitempty"`
	// Line is the number of the first differing line, from 1, where it is cut.
	// +optional
	Line int32 `json:"line,omitempty"`
	// +optional
	Masked bool `json:"masked,omitempty"`
}

// FieldManager is an owner of a path, from managedFields.
type FieldManager struct {
	Name string `json:"name"`
	// Operation is Apply or Update.
	Operation string `json:"operation"`
	// +optional
	Subresource string `json:"subresource,omitempty"`
	// LastWrite is the last write of this manager to the object, which need
	// not be the write of this field. The scale subresource records none.
	// +optional
	LastWrite *metav1.Time `json:"lastWrite,omitempty"`
	// Role is what the catalogue knows the manager as.
	// +optional
	// +kubebuilder:validation:Enum=Human;Deployer;Controller;Holdfast;Unrecorded
	Role string `json:"role,omitempty"`
}

// Consumer is a declared object that reads another, or leads to it.
type Consumer struct {
	Kind string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// How: env, envFrom, volume, projected, args, annotation, imagePullSecret,
	// serviceAccount; selector, backend, scaleTargetRef and the like.
	How string `json:"how"`
	// PodsBefore counts running pods that started before the last write of the
	// differing value, of Pods in total; -1 where pods could not be listed.
	// +optional
	PodsBefore int32 `json:"podsBefore,omitempty"`
	// +optional
	Pods int32 `json:"pods,omitempty"`
}
