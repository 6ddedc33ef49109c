// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"io"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// object is a source as the pipeline sees it.
type object interface {
	conditions.Setter
	GetArtifact() *meta.Artifact
	GetRequeueAfter() time.Duration
}

// kind is what one kind of source adds to the pipeline.
type kind[T object] interface {
	// name is the kind as the API has it.
	name() string
	// empty gives an object to read into.
	empty() T
	// suspended tells whether the object is to be left alone.
	suspended(obj T) bool
	// fields points at the parts of the status that all kinds share.
	fields(obj T) fields
	// resolve asks, as cheaply as the remote allows, which version is current.
	resolve(ctx context.Context, obj T) (target, *status.Failure)
	// words are how the kind tells people what happened.
	words() words
}

// words differ between the kinds of source, as they do in Flux.
type words struct {
	// upToDate is the reason of an event that says that nothing is new.
	upToDate string
	// noun is what a revision is called where one is stored; empty for revision.
	noun string
}

// fields are pointers into a status.
type fields struct {
	artifact           **meta.Artifact
	observedGeneration *int64
	requests           *meta.ReconcileRequestStatus
	// latest is the address of a link to the current artifact; nil for a kind
	// that has none.
	latest *string
}

// target is a version that a remote offers.
type target struct {
	// revision is what an artifact of it would be called.
	revision string
	// rebuild tells that the same revision has to be packed anew, because other
	// content of it is asked for than was stored.
	rebuild bool
	// included tells that what other sources contribute has changed.
	included bool
	// verify checks the version's signatures before it is fetched; nil for a kind
	// that has to see the content for that.
	verify func(ctx context.Context) (status.Verification, *status.Failure)
	// fetch brings the content.
	fetch func(ctx context.Context) (content, *status.Failure)
}

// content is one fetched version, until it is closed.
type content struct {
	revision string
	file     string // name of the artifact's file
	title    string // of the event that tells that it was stored
	metadata map[string]string
	// verification is what was found out about signatures while fetching.
	verification status.Verification
	// write packs it.
	write func(w io.Writer) error
	// failure tells what a failed write means.
	failure func(err error) *status.Failure
	// record notes on the object what went into the artifact.
	record func()
	close  func()
}
