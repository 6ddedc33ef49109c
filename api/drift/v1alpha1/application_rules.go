// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// IgnoreRule hides named differences, for a reason, perhaps until a date.
type IgnoreRule struct {
	Target IgnoreTarget `json:"target"`
	// Paths are JSON pointers below the object; list items by their keys, as
	// in /spec/template/spec/containers/[name=api]/image. A rule that covers a
	// whole object is refused.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.all(p, p.matches('^/[^/].*$'))",message="each path is a JSON pointer below the object, such as /spec/replicas"
	// +kubebuilder:validation:XValidation:rule="!self.exists(p, p in ['/spec', '/data', '/metadata', '/stringData', '/binaryData', '/rules', '/webhooks', '/subjects'])",message="a path that covers a whole object is refused: name the field"
	Paths []string `json:"paths"`
	// Managers: the rule holds only while one of these field managers owns the path.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=128
	Managers []string `json:"managers,omitempty"`
	// Values: the rule holds only while the live value matches one of these
	// regular expressions as a whole.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=512
	Values []string `json:"values,omitempty"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason"`
	// Until: past it the differences show again, as backlog.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// IgnoreTarget names the objects of an ignore rule.
type IgnoreTarget struct {
	// Group; left out, any group.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group *string `json:"group,omitempty"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Name; a leading or trailing * matches any text there. Empty is any name.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// StrayPolicy says whether strays are reported and which are known.
type StrayPolicy struct {
	// +optional
	// +kubebuilder:default=true
	Report *bool `json:"report,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=128
	Keep []KeptStray `json:"keep,omitempty"`
}

// KeptStray is a stray that somebody answers for.
type KeptStray struct {
	KindSelector `json:",inline"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason"`
}

// DependencyReference names another Application.
type DependencyReference struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// HealthCheck names one object whose health counts.
type HealthCheck struct {
	// +kubebuilder:validation:MaxLength=317
	APIVersion string `json:"apiVersion"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// HealthCheckExpr tells the health of a kind by CEL expressions over the object.
type HealthCheckExpr struct {
	// +kubebuilder:validation:MaxLength=317
	APIVersion string `json:"apiVersion"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Current string `json:"current"`
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	InProgress string `json:"inProgress,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Failed string `json:"failed,omitempty"`
}

// SecretsGate says what a verdict of the secrets-controller may hold.
type SecretsGate struct {
	// +optional
	// +kubebuilder:default=Warn
	// +kubebuilder:validation:Enum=Off;Warn;Enforce
	Gate Gate `json:"gate,omitempty"`
}

// Gate is Off, Warn or Enforce.
type Gate string

// The gate's positions.
const (
	GateOff     Gate = "Off"
	GateWarn    Gate = "Warn"
	GateEnforce Gate = "Enforce"
)
