// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
)

// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=gitrepositories;ocirepositories,verbs=patch

const (
	// askAgain is how soon a run looks for the answer of a source if no event
	// brings it.
	askAgain = 2 * time.Second
	// askedFor is how long an answer is waited for before it is asked anew:
	// somebody else may have put their token over ours.
	askedFor = 15 * time.Second
)

// sourceKey names a source.
type sourceKey struct {
	kind string
	name types.NamespacedName
}

// asked is our last question to a source: whether what we know of it is still
// so. One question serves all applications that were looked at before it.
type asked struct {
	token   string
	at      time.Time
	waiting map[types.NamespacedName]bool
}

// askedSources are the questions under way. The zero value is ready.
type askedSources struct {
	mu   sync.Mutex
	asks map[sourceKey]*asked
}

// fresh says whether a check of the source that began after a moment has ended
// well, and is in what this run compared with. If not it asks for one. A token
// that somebody else wrote proves nothing: their clock is not ours.
func (s *askedSources) fresh(ctx context.Context, p *pass, after time.Time) (bool, error) {
	source := p.in.source
	if s.told(source, after) {
		return true, nil
	}
	if why := source.unfit(); why != "" {
		p.facts.Notes = append(p.facts.Notes, "nothing is written: "+why)
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks == nil {
		s.asks = map[sourceKey]*asked{}
	}
	ask, now := s.asks[source.key], p.Clock.Now()
	app := client.ObjectKeyFromObject(p.app)
	if ask.pending(source.handled, now) {
		ask.waiting[app] = true // one question at a time
		return false, nil
	}
	next := &asked{token: now.UTC().Format(time.RFC3339Nano), at: now, waiting: map[types.NamespacedName]bool{app: true}}
	if err := p.askSource(ctx, source.key, next.token); err != nil {
		return false, err
	}
	s.asks[source.key] = next
	return false, nil
}

// told says whether the source has answered a question that was asked after a
// moment, and well.
func (s *askedSources) told(source sourceState, after time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ask := s.asks[source.key]
	return source.unfit() == "" && ask != nil && source.handled == ask.token && ask.at.After(after)
}

// pending says whether an answer is on its way to a run: not given yet, or
// given after the run had read the source. Asked anew in that case, a source
// that answers sooner than a run ends would be asked for ever.
func (a *asked) pending(handled string, now time.Time) bool {
	return a != nil && a.token != handled && now.Sub(a.at) < askedFor && !now.Before(a.at)
}

// unfit says why a source cannot tell what Git says now.
func (s sourceState) unfit() string {
	switch {
	case s.suspended:
		return fmt.Sprintf("%s %s is suspended, so what it has may be old", s.key.kind, s.key.name)
	case s.says != "":
		return fmt.Sprintf("%s %s is not ready, so what it has may be old", s.key.kind, s.key.name)
	case !s.current:
		return fmt.Sprintf("the status of %s %s is not about its present declaration yet", s.key.kind, s.key.name)
	}
	return ""
}

// answered gives the applications that wait for a source, once it has handled
// our question.
func (s *askedSources) answered(key sourceKey, handled string) []reconcile.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	ask := s.asks[key]
	if ask == nil || ask.token != handled {
		return nil
	}
	requests := make([]reconcile.Request, 0, len(ask.waiting))
	for app := range ask.waiting {
		requests = append(requests, ctrl.Request{NamespacedName: app})
	}
	clear(ask.waiting)
	return requests
}

// askSource writes the one annotation that the drift-controller may write.
func (r *Reconciler) askSource(ctx context.Context, key sourceKey, token string) error {
	var source client.Object = &sourcev1.GitRepository{}
	if key.kind == sourcev1.OCIRepositoryKind {
		source = &sourcev1.OCIRepository{}
	}
	source.SetNamespace(key.name.Namespace)
	source.SetName(key.name.Name)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, contract.RequestedAtAnnotation, token)
	err := r.Patch(ctx, source, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(contract.DriftFieldManager))
	if err != nil && !apierrors.IsNotFound(err) {
		return halt.Retryf(contract.SourceNotReadyReason, "asking %s %s whether it is up to date: %w", key.kind, key.name, err)
	}
	return nil
}

// handledChanged lets through that a source has handled a question.
var handledChanged = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	DeleteFunc: func(event.DeleteEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool { return handledBy(e.ObjectOld) != handledBy(e.ObjectNew) },
}

func handledBy(o client.Object) string {
	switch s := o.(type) {
	case *sourcev1.GitRepository:
		return s.Status.GetLastHandledReconcileRequest()
	case *sourcev1.OCIRepository:
		return s.Status.GetLastHandledReconcileRequest()
	}
	return ""
}

// byAnswer wakes the applications that wait for a source, and no others.
func (r *Reconciler) byAnswer(kind string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return r.Writes.sources.answered(sourceKey{kind: kind, name: client.ObjectKeyFromObject(o)}, handledBy(o))
	})
}
