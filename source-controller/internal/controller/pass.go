// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	"github.com/fluxcd/pkg/runtime/patch"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/store"
)

// pass is one look at one source. It gathers facts; finish turns them into
// conditions.
type pass[T object] struct {
	*reconciler[T]
	obj     T
	before  T // as it was read
	patcher *patch.SerialPatcher
	facts   status.Facts
	title   string // what was stored, for people
}

// run goes through the steps in the order of the contract. It ends at the first
// that fails.
func (p *pass[T]) run(ctx context.Context) *status.Failure {
	if failure := p.checkStorage(ctx); failure != nil {
		return failure
	}
	if failure := p.begin(ctx); failure != nil {
		return failure
	}
	target, failure := p.kind.resolve(ctx, p.obj)
	if failure != nil {
		return failure
	}
	current := p.obj.GetArtifact().HasRevision(target.revision) && !target.rebuild
	if !current {
		if failure := p.announce(ctx, target); failure != nil {
			return failure
		}
	}
	if target.verify != nil {
		if p.facts.Verification, failure = target.verify(ctx); failure != nil {
			return failure
		}
	}
	if current {
		return nil
	}
	return p.build(ctx, target)
}

// checkStorage makes sure that what status names can be downloaded, and takes
// it out of status where it cannot: consumers would trust it.
func (p *pass[T]) checkStorage(ctx context.Context) *status.Failure {
	p.facts.Noun = p.kind.words().noun
	artifact, latest := p.obj.GetArtifact(), p.kind.fields(p.obj).latest
	if artifact == nil {
		return nil
	}
	p.collect(ctx, *artifact)
	state, why := p.store.Check(*artifact, p.now())
	if state == store.Present {
		p.store.SetURL(artifact)
		if latest != nil && *latest != "" {
			*latest = p.store.LatestURL(*artifact)
		}
		p.facts.Stored = artifact.Revision
		return nil
	}
	*p.kind.fields(p.obj).artifact = nil
	if latest != nil {
		*latest = ""
	}
	if state == store.Missing {
		return nil
	}
	p.warn(p.obj, "ArtifactVerificationFailed", fmt.Sprintf("failed to verify integrity of artifact: %s", why))
	if err := p.store.Drop(*artifact); err != nil {
		return storageFailure(meta.FailedReason, fmt.Errorf("failed to remove artifact after digest mismatch: %w", err))
	}
	return nil
}

// begin tells people who wait that something is being done. An ordinary pass
// writes nothing here, and neither does one that only tries again: Ready would
// flap between False and Unknown for as long as the remote is down.
func (p *pass[T]) begin(ctx context.Context) *status.Failure {
	observed, current := *p.kind.fields(p.obj).observedGeneration, p.obj.GetGeneration()
	vanished := p.obj.GetArtifact() == nil && p.before.GetArtifact() != nil
	missing := p.obj.GetArtifact() == nil
	switch {
	case vanished:
		p.facts.Doing = status.Disappeared
	case missing:
		p.facts.Doing = status.Building
	case observed != current:
		p.facts.Doing = status.NewGenerationMessage(observed, current)
	default:
		p.facts.Doing = status.InProgress
	}
	news := vanished || p.requested() || ((observed != current || missing) && !p.retrying())
	if !news {
		return nil
	}
	return p.working(ctx, missing)
}

// retrying tells whether the last pass failed at this generation already.
func (p *pass[T]) retrying() bool {
	ready := conditions.Get(p.before, meta.ReadyCondition)
	return ready != nil && ready.Status == metav1.ConditionFalse && ready.ObservedGeneration == p.obj.GetGeneration()
}

// requested tells whether someone asked for this pass.
func (p *pass[T]) requested() bool {
	asked, found := meta.ReconcileAnnotationValue(p.before.GetAnnotations())
	return found && asked != p.kind.fields(p.before).requests.GetLastHandledReconcileRequest()
}

// working writes the conditions of work in progress.
func (p *pass[T]) working(ctx context.Context, changed bool) *status.Failure {
	status.Working(p.obj, p.facts, changed)
	if err := p.patcher.Patch(ctx, p.obj, p.patchOptions()...); err != nil {
		return &status.Failure{Halt: halt.Retryf(sourcev1.PatchOperationFailedReason, "cannot write the status: %w", err)}
	}
	return nil
}

// collect removes artifacts that retention no longer keeps. Failing to is no
// reason not to fetch; it is tried again at the next pass.
func (p *pass[T]) collect(ctx context.Context, current meta.Artifact) {
	removed, err := p.store.Collect(ctx, current)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "garbage collection of artifacts failed")
		return
	}
	if removed > 0 {
		p.trace(p.obj, "GarbageCollectionSucceeded", fmt.Sprintf("garbage collected %d artifacts", removed))
	}
}

// announce tells that something new was seen, before the slow part.
func (p *pass[T]) announce(ctx context.Context, target target) *status.Failure {
	p.facts.Pending, p.facts.Included = target.revision, target.included
	switch {
	case !p.obj.GetArtifact().HasRevision(target.revision):
		p.facts.Doing = status.Building + ": " + status.NewRevisionMessage(target.revision)
	case target.included:
		p.facts.Doing = status.Building + ": " + status.IncludeChange
	default:
		return nil
	}
	return p.working(ctx, true)
}

// build fetches and stores a version.
func (p *pass[T]) build(ctx context.Context, target target) *status.Failure {
	content, failure := target.fetch(ctx)
	if failure != nil {
		if failure.Condition == sourcev1.SourceVerifiedCondition {
			// A revision that nobody vouches for makes no artifact outdated.
			p.facts.Pending, p.facts.Included = "", false
			if p.obj.GetArtifact() != nil {
				p.facts.Doing = status.InProgress
			}
		}
		return failure
	}
	defer content.close()
	p.facts.Pending = content.revision
	if content.verification != (status.Verification{}) {
		p.facts.Verification = content.verification
	}
	artifact, err := p.store.Put(p.store.New(p.kind.name(), p.obj, content.revision, content.file), content.write)
	switch {
	case errors.Is(err, store.ErrFolder):
		return storageFailure(sourcev1.DirCreationFailedReason, err)
	case errors.Is(err, store.ErrLock):
		return storageFailure(sourcev1.AcquireLockFailedReason, err)
	case err != nil:
		return content.failure(err)
	}
	artifact.Metadata = content.metadata
	*p.kind.fields(p.obj).artifact = &artifact
	content.record()
	p.facts.Included = false
	p.link(artifact)
	p.facts.Stored, p.title = artifact.Revision, content.title
	return nil
}

// link lets a fixed address lead to the artifact, where the kind offers one.
// Consumers use the artifact's own; so failing to is told and is no failure.
func (p *pass[T]) link(artifact meta.Artifact) {
	latest := p.kind.fields(p.obj).latest
	if latest == nil {
		return
	}
	address, err := p.store.LinkLatest(artifact)
	if err != nil {
		p.trace(p.obj, sourcev1.SymlinkUpdateFailedReason, "failed to update status URL symlink: "+err.Error())
		return
	}
	*latest = address
}

func storageFailure(reason string, err error) *status.Failure {
	return &status.Failure{
		Condition: sourcev1.StorageOperationFailedCondition,
		Halt:      halt.Retryf(reason, "%w", err),
	}
}

func fetchFailure(h *halt.Error) *status.Failure {
	return &status.Failure{Condition: sourcev1.FetchFailedCondition, Halt: h}
}
