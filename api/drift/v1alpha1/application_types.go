// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Application binds a path of a source to a namespace, and says how far
// Holdfast may go there.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=happ;happs,categories=holdfast
// +kubebuilder:printcolumn:name="Stage",type=string,JSONPath=`.status.stage.effective`
// +kubebuilder:printcolumn:name="Synced",type=string,JSONPath=`.status.conditions[?(@.type=="Synced")].status`
// +kubebuilder:printcolumn:name="Healthy",type=string,JSONPath=`.status.conditions[?(@.type=="Healthy")].status`
// +kubebuilder:printcolumn:name="Drift",type=integer,JSONPath=`.status.summary.drifted`
// +kubebuilder:printcolumn:name="Missing",type=integer,JSONPath=`.status.summary.missing`
// +kubebuilder:printcolumn:name="Unknown",type=integer,JSONPath=`.status.summary.unknown`
// +kubebuilder:printcolumn:name="Strays",type=integer,JSONPath=`.status.summary.strays`
// +kubebuilder:printcolumn:name="Held By",type=string,JSONPath=`.status.stage.heldBy`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.compared.revision`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Ready",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 52",message="metadata.name has at most 52 characters, so that the names of its pages fit"
type Application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ApplicationSpec `json:"spec"`
	// +kubebuilder:default={observedGeneration:-1}
	Status ApplicationStatus `json:"status,omitempty"`
}

// ApplicationList is a list of Applications.
//
// +kubebuilder:object:root=true
type ApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Application `json:"items"`
}

// ApplicationSpec is what the owner of an application declares.
type ApplicationSpec struct {
	// Project limits what this application may name. Without one the
	// locked-down default holds: own namespace only, no cluster-scoped kind.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Project string `json:"project,omitempty"`

	// SourceRef names the source whose artifact is compared with the cluster.
	SourceRef SourceReference `json:"sourceRef"`

	// Path is the folder within the artifact, relative to its root.
	// +optional
	// +kubebuilder:default="."
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') && !self.split('/').exists(p, p == '..')",message="path must be relative and must not leave the artifact"
	Path string `json:"path,omitempty"`

	// Render chooses and configures the renderer. Left out, a Chart.yaml
	// means helm, a kustomization file means kustomize, anything else plain.
	// +optional
	Render *Render `json:"render,omitempty"`

	// Destination says where objects without a namespace of their own live.
	// +optional
	Destination Destination `json:"destination,omitempty"`

	// Stage is the ceiling: the furthest that Holdfast may ever go here.
	// +optional
	// +kubebuilder:default=Observe
	Stage Stage `json:"stage,omitempty"`

	// Rollout names a StageRollout that grants stages up to the ceiling.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Rollout string `json:"rollout,omitempty"`

	// Identity names the service accounts of this namespace that the
	// drift-controller impersonates.
	// +optional
	Identity Identity `json:"identity,omitempty"`

	// +optional
	Sync *SyncPolicy `json:"sync,omitempty"`
	// +optional
	Heal *HealPolicy `json:"heal,omitempty"`
	// +optional
	Prune *PrunePolicy `json:"prune,omitempty"`

	// DeletionPolicy says what happens to the objects of this application
	// when the Application itself is deleted.
	// +optional
	// +kubebuilder:default=Keep
	// +kubebuilder:validation:Enum=Keep;Prune
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// Ignore lists differences that are not drift, each with its reason.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Ignore []IgnoreRule `json:"ignore,omitempty"`

	// +optional
	Strays *StrayPolicy `json:"strays,omitempty"`

	// DependsOn lists Applications that must be Ready before this one writes.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	DependsOn []DependencyReference `json:"dependsOn,omitempty"`

	// HealthChecks lists further objects whose health counts.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	HealthChecks []HealthCheck `json:"healthChecks,omitempty"`

	// HealthCheckExprs tells health of kinds that do not follow kstatus, in CEL.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	HealthCheckExprs []HealthCheckExpr `json:"healthCheckExprs,omitempty"`

	// +optional
	Secrets *SecretsGate `json:"secrets,omitempty"`

	// Interval of the safety comparison. Detection itself is driven by events.
	// +optional
	// +kubebuilder:default="1h"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s')",message="interval must be 10s or longer"
	Interval *metav1.Duration `json:"interval,omitempty"`

	// Suspend stops comparing and writing. The verdict then grows stale and
	// reads as Unknown once status.compared.validUntil has passed.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// SourceReference names a source of the group source.toolkit.fluxcd.io.
type SourceReference struct {
	// +kubebuilder:validation:Enum=GitRepository;OCIRepository
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Namespace defaults to the Application's; another one must be listed in
	// the Project's sourceNamespaces.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// Destination is the namespace, and optionally the cluster, of the objects.
type Destination struct {
	// Namespace defaults to the Application's own.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// KubeConfig names a Secret with the kubeconfig of another cluster.
	// +optional
	KubeConfig *KubeConfigReference `json:"kubeConfig,omitempty"`
}

// KubeConfigReference is a reference to a kubeconfig in a Secret.
type KubeConfigReference struct {
	SecretRef SecretKeyReference `json:"secretRef"`
}

// SecretKeyReference names a Secret in the Application's namespace and a key.
type SecretKeyReference struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// Identity names service accounts of the Application's own namespace. Without
// observe the Application is stalled; without apply or prune the stages that
// need them are refused.
type Identity struct {
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Observe string `json:"observe,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Apply string `json:"apply,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Prune string `json:"prune,omitempty"`
}

// SyncPolicy tunes how Git's changes are applied.
type SyncPolicy struct {
	// CreateNamespace lets the apply account create the destination namespace.
	// +optional
	CreateNamespace bool `json:"createNamespace,omitempty"`
	// Takeover lets Sync write objects that carry marks of Flux or Argo CD.
	// +optional
	Takeover bool `json:"takeover,omitempty"`
	// +optional
	// +kubebuilder:default="5m"
	Timeout *metav1.Duration `json:"timeout,omitempty"`
	// +optional
	Retry *Retry `json:"retry,omitempty"`
}

// Retry says how failed writes are tried again; they are tried for ever.
type Retry struct {
	// +optional
	Backoff Backoff `json:"backoff,omitempty"`
}

// Backoff is an exponential backoff with a cap.
type Backoff struct {
	// +optional
	// +kubebuilder:default="5s"
	Duration *metav1.Duration `json:"duration,omitempty"`
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Factor int32 `json:"factor,omitempty"`
	// +optional
	// +kubebuilder:default="3m"
	MaxDuration *metav1.Duration `json:"maxDuration,omitempty"`
}

// HealPolicy says what happens to drift that is older than the step to SelfHeal.
type HealPolicy struct {
	// +optional
	// +kubebuilder:default=Approve
	// +kubebuilder:validation:Enum=Approve;Revert;Keep
	Backlog BacklogPolicy `json:"backlog,omitempty"`
}

// BacklogPolicy is Approve, Revert or Keep.
type BacklogPolicy string

// What to do with the backlog: ask for an Approval, revert unasked, or keep.
const (
	BacklogApprove BacklogPolicy = "Approve"
	BacklogRevert  BacklogPolicy = "Revert"
	BacklogKeep    BacklogPolicy = "Keep"
)

// PrunePolicy bounds deletions.
type PrunePolicy struct {
	// MaxDeletions per 24 hours, as a count or a percentage (of at least one).
	// +optional
	// +kubebuilder:default="10%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 : self.matches('^(100|[1-9]?[0-9])%$')",message="maxDeletions is a count of 0 or more, or a percentage from 0% to 100%"
	MaxDeletions *intstr.IntOrString `json:"maxDeletions,omitempty"`
	// Protect lists kinds and names that are never pruned, beside the Project's.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Protect []KindSelector `json:"protect,omitempty"`
	// Quarantine shows a deletion for this long before it happens.
	// +optional
	// +kubebuilder:default="10m"
	Quarantine *metav1.Duration `json:"quarantine,omitempty"`
}

// DeletionPolicy is Keep or Prune.
type DeletionPolicy string

// What happens to the objects of a deleted Application.
const (
	DeletionKeep  DeletionPolicy = "Keep"
	DeletionPrune DeletionPolicy = "Prune"
)

// KindSelector matches objects by group, kind and name.
type KindSelector struct {
	// Group; empty is the core group, "*" any.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// Kind; "*" is any.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Name; a trailing or leading * matches any text there. Empty is any name.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// Values is free-form configuration, as in a chart's values file.
type Values = apiextensionsv1.JSON
