// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/judge"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/renders"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

// removed looks at what the inventory has and Git dropped. An incomplete
// render proves no absence.
func (p *pass) removed(ctx context.Context) error {
	gone := p.known.memory.Removed(p.declares())
	if len(p.facts.Incomplete) > 0 || p.in.denied != "" {
		p.known.removed = nil
		return nil
	}
	return p.relics(ctx, gone)
}

// relics looks at entries of what should not stand any more. What another
// application has now was handed over, and what is proven to be gone is
// forgotten.
func (p *pass) relics(ctx context.Context, gone []inventory.Entry) error {
	p.known.removed = nil
	if len(gone) == 0 {
		return nil
	}
	others, err := p.declaredElsewhere(ctx, p.app)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	byAnotherName := p.sameObject()
	var handed []manifest.ID
	gone = slices.DeleteFunc(gone, func(e inventory.Entry) bool {
		// One object can have two names: a kind that moved to another group.
		over := others[e.ID] || p.apps.otherThan(client.ObjectKeyFromObject(p.app), e.ID) != "" || e.UID != "" && byAnotherName[e.UID]
		if over {
			handed = append(handed, e.ID)
		}
		return over
	})
	relics, vanished, err := p.known.memo.Removed(ctx, p.request(), gone)
	if err != nil {
		return err
	}
	for _, id := range vanished {
		p.known.acting.graves = p.known.acting.graves.Bury(p.known.memory[id], p.Late)
	}
	p.known.acting.graves = p.known.acting.graves.Keep(p.Early)
	if forget := slices.Concat(handed, vanished); len(forget) > 0 {
		p.known.memory, p.known.forgot = p.known.memory.Forget(forget...), true
	}
	p.known.removed = relics
	return nil
}

// declares says whether Git declares an object at all: as one of the set, as a
// hook, or as one that cannot be compared.
func (p *pass) declares() func(manifest.ID) bool {
	hooks := p.hooks()
	for _, u := range p.rendered.Result.Unjudged {
		id := u.ID
		id.Namespace = cmp.Or(id.Namespace, p.in.namespace)
		hooks[id], hooks[u.ID] = true, true
	}
	return func(id manifest.ID) bool { return p.set.Declares(id) || hooks[id] }
}

// sameObject are the UIDs of declared objects.
func (p *pass) sameObject() map[string]bool {
	uids := map[string]bool{}
	for _, o := range p.objects {
		if o.UID != "" {
			uids[o.UID] = true
		}
	}
	return uids
}

// entombed puts tombstones on what Git declares no more, and takes them away
// from the rest.
func (p *pass) entombed(next inventory.Memory, touched map[manifest.ID]bool) {
	policy := p.prunePolicy()
	granted := stage.Includes(p.in.stage.Effective, api.StagePrune)
	inputs := p.inputs()
	for _, r := range p.known.removed {
		before := next[r.ID]
		e := before
		e.UID, e.Origin = r.UID, r.Origin
		e = e.Entomb(p.Now, p.facts.Revision, p.beside(e.Inputs, inputs)).Show(granted, p.Late, policy.Quarantine)
		if e != before {
			next[r.ID], touched[r.ID] = e, true
		}
	}
}

// inputs are what this render is made of beside manifests, as one text.
func (p *pass) inputs() string {
	in := map[string]string{}
	maps.Copy(in, p.rendered.Inputs)
	in["spec.sourceRef"] = p.Mask.Digest(p.app.Spec.SourceRef)[:8]
	in["the spec of the source"] = p.Mask.Digest(p.in.source.spec)[:8]
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(in)) {
		text.WriteString(name + "=" + in[name] + ";")
	}
	return text.String()
}

// beside names what differs between the inputs that an object was last
// declared under and those of now. Where nobody knows, that may be anything.
func (p *pass) beside(before, now string) string {
	if p.doing.ending {
		return "" // it is the Application that goes
	}
	if before == "" {
		return "something that was not recorded"
	}
	old := map[string]bool{}
	for part := range strings.SplitSeq(before, ";") {
		old[part] = true
	}
	var names []string
	for part := range strings.SplitSeq(now, ";") {
		if name, _, _ := strings.Cut(part, "="); !old[part] {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// leftStanding says what a revert in Git does not take away below Prune.
func (p *pass) leftStanding() string {
	at := p.in.stage.Effective
	if len(p.known.removed) == 0 || at == api.StageObserve || stage.Includes(at, api.StagePrune) {
		return ""
	}
	names := make([]string, 0, len(p.known.removed))
	for _, r := range p.known.removed {
		names = append(names, r.ID.String())
	}
	return fmt.Sprintf("at %s a commit takes away no object; %d that Git dropped stay: %s", at, len(names), few(names))
}

// lapse is how long ago the source must have been asked before a deletion: what
// Git dropped may be back.
const lapse = time.Minute

// settledBy is the moment that news of the source must be younger than.
func (p *pass) settledBy(t *inventory.Tombstone) time.Time {
	moment := p.Now.Add(-lapse)
	for _, other := range []time.Time{t.Since, t.Until} {
		if other.After(moment) {
			moment = other
		}
	}
	return moment
}

// quarantined is how long it is until the first quarantine ends.
func (p *pass) quarantined() (wait time.Duration, due bool) {
	for _, r := range p.known.removed {
		t := p.known.memory[r.ID].Removed
		if t == nil || t.Until.IsZero() || !p.Early.Before(t.Until) {
			continue
		}
		if left := max(t.Until.Sub(p.Early), atOnce); !due || left < wait {
			wait, due = left, true
		}
	}
	return wait, due
}

func entries(relics []judge.Relic, memory inventory.Memory) []inventory.Entry {
	list := make([]inventory.Entry, 0, len(relics))
	for _, r := range relics {
		list = append(list, memory[r.ID])
	}
	return list
}

// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=applications,verbs=patch

// deletionGuard puts the finalizer on an Application whose objects shall go with
// it, and takes it off any other.
func (p *pass) deletionGuard(ctx context.Context) error {
	wanted := p.app.Spec.DeletionPolicy == api.DeletionPrune
	if wanted == controllerutil.ContainsFinalizer(p.app, contract.PruneFinalizer) {
		return nil
	}
	return p.finalize(ctx, p.app, wanted)
}

// finalize writes the finalizer, and nothing else of an Application.
func (r *Reconciler) finalize(ctx context.Context, app *api.Application, on bool) error {
	after := app.DeepCopy()
	if on {
		controllerutil.AddFinalizer(after, contract.PruneFinalizer)
	} else {
		controllerutil.RemoveFinalizer(after, contract.PruneFinalizer)
	}
	patch := client.MergeFromWithOptions(app.DeepCopy(), client.MergeFromWithOptimisticLock{})
	err := r.Patch(ctx, after, patch, client.FieldOwner(contract.DriftFieldManager))
	if err = client.IgnoreNotFound(err); err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "writing the finalizer of Application %s: %w", nameOf(app), err)
	}
	app.ObjectMeta = after.ObjectMeta
	return nil
}

// end is the run over an Application that is being deleted. With Keep, or
// without our finalizer, its objects outlive it.
func (r *Reconciler) end(ctx context.Context, app *api.Application) (ctrl.Result, error) {
	name := client.ObjectKeyFromObject(app)
	if !controllerutil.ContainsFinalizer(app, contract.PruneFinalizer) {
		r.forget(name) // its pages go with it
		return ctrl.Result{}, nil
	}
	if app.Spec.DeletionPolicy != api.DeletionPrune || r.namespaceGoes(ctx, app) {
		return ctrl.Result{}, r.finalize(ctx, app, false)
	}
	known := r.application(name)
	known.Lock()
	defer known.Unlock()
	known.last.catchUp(app)
	present := r.Clock.Times()
	now := present.Now
	p := &pass{Reconciler: r, app: app, known: known, Times: present, doing: doing{ending: true}, rendered: &renders.Rendered{}}
	err := p.windDown(ctx)
	if err == nil && p.finished() {
		r.Events.Eventf(app, corev1.EventTypeNormal, contract.PrunedEvent, "deleted with its objects; what stays: %s", few(p.left()))
		return ctrl.Result{}, r.finalize(ctx, app, false)
	}
	p.facts.Ending = true
	if err == nil {
		err = halt.Waitf(contract.ProgressingReason, max(known.acting.soon, atOnce), "being deleted; %d of its objects are left: %s", len(known.memory), p.doing.planned.Prune.Message)
	}
	p.facts.Halt = status.Halted(err, contract.ObservationReason)
	if ctx.Err() != nil {
		return ctrl.Result{}, ctx.Err()
	}
	if err := r.publish(ctx, app, known, p.facts, now); err != nil && !apierrors.IsConflict(err) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: p.again()}, nil
}

// again is when a deletion is looked at next.
func (p *pass) again() time.Duration {
	if soon := p.known.acting.soon; soon > 0 {
		return min(soon, lookAgain)
	}
	return lookAgain
}

// windDown deletes what the inventory has, by the same proof and budget as any
// other deletion. That the Application goes is what declares it.
func (p *pass) windDown(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		p.gatherEnding, p.recall, p.relicsOfAll, p.entombAll, p.plan, p.memorise, p.act,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// gatherEnding reads the inputs but the source, which may be gone already.
func (p *pass) gatherEnding(ctx context.Context) (err error) {
	p.in = inputs{app: p.app, namespace: p.app.Spec.Destination.Namespace, keys: map[schema.GroupKind]watch.Key{}}
	if p.in.namespace == "" {
		p.in.namespace = p.app.Namespace
	}
	p.in.project, err = p.project(ctx, p.app)
	p.in.stage = p.stageOf(ctx, p.Reconciler, p.app, p.in.project)
	p.facts = status.Facts{Stage: p.in.stage, Secrets: status.Secrets{Gate: gateOf(p.app)}}
	if err != nil {
		return err
	}
	if err := p.in.compile(); err != nil {
		return err
	}
	p.in.observer, p.in.denied, err = p.observer(p.app)
	if err == nil && p.in.denied != "" {
		err = halt.Stalledf(contract.IdentityMissingReason, "%s; until then nothing is deleted", p.in.denied)
	}
	p.known.set = &placed{}
	p.apps.declared.Delete(client.ObjectKeyFromObject(p.app))
	p.Hub.Release(client.ObjectKeyFromObject(p.app).String())
	return err
}

func (p *pass) relicsOfAll(ctx context.Context) error {
	return p.relics(ctx, p.known.memory.Removed(func(manifest.ID) bool { return false }))
}

func (p *pass) entombAll(context.Context) error {
	p.doing.old, p.doing.settling, p.doing.touched = map[plan.Key]bool{}, map[manifest.ID]bool{}, map[manifest.ID]bool{}
	p.doing.pages = p.known.memory.Count()
	p.known.forgot = p.known.forgot || p.known.acting.unwritten
	p.entombed(p.known.memory, p.doing.touched)
	return nil
}

// finished: nothing is left but what stays whatever becomes of the Application.
func (p *pass) finished() bool {
	waits := slices.ContainsFunc(p.doing.planned.Actions, func(a plan.Action) bool { return a.Verb == plan.Delete })
	going := slices.ContainsFunc(p.known.removed, func(r judge.Relic) bool { return r.Unread != "" || r.Going })
	return !waits && !going
}

func (p *pass) left() []string {
	names := []string{}
	for _, r := range p.known.removed {
		names = append(names, r.ID.String())
	}
	if len(names) == 0 {
		return []string{"nothing"}
	}
	return names
}

// namespaceGoes says whether the namespace of the Application is being deleted:
// a finalizer would hold it up for ever, since nobody may act in it any more.
func (r *Reconciler) namespaceGoes(ctx context.Context, app *api.Application) bool {
	probe := &api.Inventory{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, GenerateName: app.Name + "-"}}
	err := r.Create(ctx, probe, client.DryRunAll)
	return err != nil && apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}
