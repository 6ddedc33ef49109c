// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Observation is everything that was seen of one declared object.
type Observation struct {
	ID manifest.ID
	// Live is nil if the object is not there.
	Live *unstructured.Unstructured
	// Forms are the live object in other versions in which managers wrote to
	// it, by apiVersion.
	Forms map[string]*unstructured.Unstructured
	// Restored is what the API server would store if the object were created
	// from Git now, with its own name set back; nil at DeclaredFields.
	Restored  *unstructured.Unstructured
	Precision drift.Precision
	// Replaced: at InPlace, the restored form is that of a replacement, so it
	// has nothing that live has beyond the declaration.
	Replaced bool
	// Failure: the object could not be read or its restored form not be had.
	// Nothing else of the observation is then to be relied on.
	Failure *Failure
	// Waiting says what an absent object waits for (its namespace or its
	// definition, from the same set); empty if for nothing.
	Waiting string
	// Findings are the server's words about the declaration: unknown fields
	// and duplicate keys that it drops. They never hold a value.
	Findings []string
	Evidence Evidence
}

// Failure says why an object is Unknown.
type Failure struct {
	Reason  string // CamelCase: Forbidden, Refused, Unreadable, UnknownKind, ...
	Message string // in the server's words, values masked
}

// Evidence is what else in the cluster explains a difference of this object.
type Evidence struct {
	// Scalers own the replicas of the object by design, such as
	// "HorizontalPodAutoscaler web".
	Scalers []string
	// Sizers own the resources of its containers, such as
	// "VerticalPodAutoscaler web".
	Sizers []string
	// Routers own which pods a Service selects and how a route splits its
	// traffic, such as "Rollout web".
	Routers []string
	// Mutators are mutating webhook configurations and policies that match
	// writes of the object.
	Mutators []string
	// Tracked are marks of other deployers on the object, such as
	// "Helm release users-api" or "Argo CD application shop".
	Tracked []string
	// Earlier renders that a deployer is proven to have applied, such as the
	// manifest of a Helm release, oldest first. Read-only.
	Earlier []*unstructured.Unstructured
}

// Snapshot is all that was seen for one application.
type Snapshot struct {
	Observations []Observation
	// Strays live in the application's namespaces without an owner.
	Strays []Stray
	// Unlisted kinds could not be searched for strays, with the reason each.
	Unlisted []string
}

// Stray is an object that no application declares and no inventory knows.
type Stray struct {
	ID      manifest.ID
	Version string
	Creator Manager
	Claim   string // "Helm release users-api-old", from marks on the object
}
