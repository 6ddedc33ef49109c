// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"

	eventv1 "github.com/fluxcd/pkg/apis/event/v1beta1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/api/halt"
)

// notify sends an event where the pass changed something that people see. A
// pass that repeats what was known sends none: at a minute's interval a failure
// of a night would be five hundred events.
func (p *pass[T]) notify(ctx context.Context) {
	if failure := p.facts.Failure; failure != nil {
		ready := conditions.Get(p.before, meta.ReadyCondition)
		message := conditions.GetMessage(p.obj, meta.ReadyCondition)
		switch {
		case ready != nil && ready.Reason == failure.Halt.Reason && ready.Message == message:
		case failure.Halt.Kind == halt.Wait:
			// Another source's failure is that one's news.
			p.trace(p.obj, failure.Halt.Reason, message)
		default:
			p.warn(p.obj, failure.Halt.Reason, message)
		}
		return
	}
	artifact := p.obj.GetArtifact()
	switch {
	case artifact == nil:
	case !p.before.GetArtifact().HasDigest(artifact.Digest):
		p.inform(artifact, "NewArtifact", p.title)
		ctrl.LoggerFrom(ctx).Info(p.title, "revision", artifact.Revision, "digest", artifact.Digest)
	case conditions.HasAny(p.before, failureConditions):
		p.inform(artifact, meta.SucceededReason, fmt.Sprintf("stored artifact for revision '%s'", artifact.Revision))
	case p.requested():
		p.trace(p.obj, p.kind.words().upToDate, fmt.Sprintf("no changes since last reconciliation: observed revision '%s'", artifact.Revision))
	}
}

// failureConditions are those whose end is news.
var failureConditions = []string{
	sourcev1.FetchFailedCondition,
	sourcev1.IncludeUnavailableCondition,
	sourcev1.StorageOperationFailedCondition,
}

// inform tells of an artifact, with the annotations that receivers filter by.
func (p *pass[T]) inform(artifact *meta.Artifact, reason, message string) {
	annotations := map[string]string{
		sourcev1.GroupVersion.Group + "/" + eventv1.MetaRevisionKey: artifact.Revision,
		sourcev1.GroupVersion.Group + "/" + eventv1.MetaDigestKey:   artifact.Digest,
	}
	p.events.AnnotatedEventf(p.obj, annotations, corev1.EventTypeNormal, reason, "%s", message)
}

func (r *reconciler[T]) warn(obj T, reason, message string) {
	r.events.Event(obj, corev1.EventTypeWarning, reason, message)
}

// trace stays in the cluster: the webhook of --events-addr never gets it.
func (r *reconciler[T]) trace(obj T, reason, message string) {
	r.events.Event(obj, eventv1.EventTypeTrace, reason, message)
}
