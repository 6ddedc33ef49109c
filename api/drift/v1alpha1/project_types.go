// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Project limits what the Applications that name it may do.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=hproj,categories=holdfast
// +kubebuilder:printcolumn:name="Max Stage",type=string,JSONPath=`.spec.maxStage`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Project struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ProjectSpec   `json:"spec"`
	Status ProjectStatus `json:"status,omitempty"`
}

// ProjectList is a list of Projects.
//
// +kubebuilder:object:root=true
type ProjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Project `json:"items"`
}

// ProjectSpec is the limits. What a list leaves out is not allowed, except
// where the field says otherwise.
type ProjectSpec struct {
	// ApplicationNamespaces whose Applications may name this Project; a
	// leading or trailing * matches any text.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=63
	ApplicationNamespaces []string `json:"applicationNamespaces"`
	// SourceRepos are URLs (or URL prefixes that end in *) that the source of an
	// Application may have. Empty: any.
	// +optional
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=1024
	SourceRepos []string `json:"sourceRepos,omitempty"`
	// SourceNamespaces that a sourceRef may name beside the Application's own.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	SourceNamespaces []string `json:"sourceNamespaces,omitempty"`
	// Destinations that objects may live in.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Destinations []ProjectDestination `json:"destinations,omitempty"`
	// ClusterResources: cluster-scoped kinds that may be declared. Empty: none.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	ClusterResources []KindSelector `json:"clusterResources,omitempty"`
	// NamespaceResources: namespaced kinds. No allow list: any but the denied.
	// +optional
	NamespaceResources NamespaceResources `json:"namespaceResources,omitempty"`
	// AllowIgnoreAnnotations lets objects carry ignore rules of their own in
	// Git, as a YAML list in the annotation drift.holdfast.dev/ignore. Without
	// it such an annotation is refused, and the status says so.
	// +optional
	AllowIgnoreAnnotations bool `json:"allowIgnoreAnnotations,omitempty"`
	// MaxStage is the furthest stage of any Application here.
	// +optional
	// +kubebuilder:default=Observe
	MaxStage Stage `json:"maxStage,omitempty"`
	// Writers extends the catalogue of field managers.
	// +optional
	Writers Writers `json:"writers,omitempty"`
	// Protect is never pruned. PersistentVolumeClaim, PersistentVolume,
	// Namespace and CustomResourceDefinition always are protected.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Protect []KindSelector `json:"protect,omitempty"`
	// +optional
	BreakGlass BreakGlassPolicy `json:"breakGlass,omitempty"`
	// Windows restrict stages above Observe to times of the week.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	Windows []StageWindow `json:"windows,omitempty"`
}

// ProjectDestination is a namespace that objects may live in.
type ProjectDestination struct {
	// Namespace; a leading or trailing * matches any text.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`
}

// NamespaceResources allows and denies namespaced kinds; deny wins.
type NamespaceResources struct {
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Allow []KindSelector `json:"allow,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Deny []KindSelector `json:"deny,omitempty"`
}

// Writers names field managers; a trailing * matches any text.
type Writers struct {
	// +optional
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=128
	Humans []string `json:"humans,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=128
	Deployers []string `json:"deployers,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=128
	Controllers []string `json:"controllers,omitempty"`
}

// BreakGlassPolicy bounds emergencies.
type BreakGlassPolicy struct {
	// +optional
	// +kubebuilder:default="4h"
	MaxDuration *metav1.Duration `json:"maxDuration,omitempty"`
	// +optional
	// +kubebuilder:default=Hold
	// +kubebuilder:validation:Enum=Hold;Revert
	OnExpiry OnExpiry `json:"onExpiry,omitempty"`
}

// OnExpiry is Hold or Revert.
type OnExpiry string

// What the end of an emergency does to edits that are not in Git.
const (
	OnExpiryHold   OnExpiry = "Hold"
	OnExpiryRevert OnExpiry = "Revert"
)

// StageWindow opens stages for a duration from each time of a schedule.
type StageWindow struct {
	// Schedule in cron form, five fields.
	// +kubebuilder:validation:MinLength=9
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^\S+(\s+\S+){4}$`
	Schedule string `json:"schedule"`
	// TimeZone by its IANA name; UTC if empty.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	TimeZone string          `json:"timeZone,omitempty"`
	Duration metav1.Duration `json:"duration"`
	// MaxStage within the window.
	MaxStage Stage `json:"maxStage"`
}

// ProjectStatus has counts only.
type ProjectStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
