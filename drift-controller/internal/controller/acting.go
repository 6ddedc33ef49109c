// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/judge"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/restraint"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

// Writes is what a reconciler needs to carry out a plan.
type Writes struct {
	Writer *actuate.Writer
	// Reader is not cached: what may stop a write is read right before it.
	Reader client.Reader

	sources askedSources
}

// atOnce is how soon a run follows one that wrote or met something else than
// it had judged.
const atOnce = 50 * time.Millisecond

// act carries out the plan: only on news from the source that is younger than
// what was seen, only with a grant that was read now, and only after what is
// intended is on record.
func (p *pass) act(ctx context.Context) error {
	acting := &p.known.acting
	acting.soon = 0
	if len(p.doing.settling) > 0 {
		acting.soon = atOnce
	}
	if wait, due := acting.ledger.Due(p.Now); due {
		acting.soon = cmp.Or(acting.soon, max(wait, atOnce))
	}
	if wait, due := p.quarantined(); due {
		acting.soon = cmp.Or(min(acting.soon, wait), wait)
	}
	backoff := restraint.BackoffOf(p.app.Spec.Sync)
	steps := slices.DeleteFunc(p.doing.planned.Steps(), func(s plan.Step) bool { return acting.ledger.Waits(s.ID, backoff, p.Now) })
	if len(steps) == 0 {
		return nil
	}
	newest := steps[0].Seen
	for _, s := range steps {
		if s.Seen.After(newest) {
			newest = s.Seen
		}
	}
	// Who ends with its objects depends on no source any more.
	fresh, err := p.doing.ending, error(nil)
	if !p.doing.ending {
		fresh, err = p.Writes.sources.fresh(ctx, p, newest)
	}
	if err != nil {
		return err
	}
	if !fresh {
		acting.soon = askAgain
		return nil
	}
	grant, changed, err := p.grant(ctx)
	if err != nil {
		return err
	}
	if changed {
		acting.soon = atOnce // the next run sees what this one did not
		return nil
	}
	if err := p.intend(ctx, steps); err != nil {
		return err
	}
	orders, err := p.orders(ctx, steps)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout())
	defer cancel()
	return p.book(context.WithoutCancel(ctx), p.Writes.Writer.Do(ctx, grant, orders))
}

func (p *pass) timeout() time.Duration {
	const longest = 5 * time.Minute
	if s := p.app.Spec.Sync; s != nil && s.Timeout != nil && s.Timeout.Duration > 0 {
		return s.Timeout.Duration
	}
	return longest
}

// grant reads anew, past every cache, what the plan went by. Whatever changed
// since makes the plan one of yesterday.
func (p *pass) grant(ctx context.Context) (g actuate.Grant, changed bool, err error) {
	if changed, err := p.redeclared(ctx); changed || err != nil {
		return g, changed, err
	}
	glasses, approvals := &api.BreakGlassList{}, &api.ApprovalList{}
	for _, list := range []client.ObjectList{glasses, approvals} {
		if err := p.Writes.Reader.List(ctx, list, client.InNamespace(p.app.Namespace)); err != nil {
			return g, false, halt.Retryf(contract.APIUnavailableReason, "reading what may stop a write: %w", err)
		}
	}
	now := approved(approvals.Items, p.app.Name, p.Clock.Times().Late)
	for digest := range p.doing.approvals {
		if !now[digest] {
			return g, true, nil
		}
	}
	return p.granted(p.emergencies(glasses.Items).Refuses), false, nil
}

// redeclared says whether the Application or its Project is another than the
// plan went by.
func (p *pass) redeclared(ctx context.Context) (bool, error) {
	app := &api.Application{}
	err := p.Writes.Reader.Get(ctx, client.ObjectKeyFromObject(p.app), app)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, halt.Retryf(contract.APIUnavailableReason, "reading the Application before a write: %w", err)
	case app.UID != p.app.UID, app.Generation != p.app.Generation, app.DeletionTimestamp.IsZero() == p.doing.ending:
		return true, nil
	case p.in.project == nil:
		return p.lowered(ctx, app, nil), nil
	}
	project := &api.Project{}
	if err := p.Writes.Reader.Get(ctx, client.ObjectKeyFromObject(p.in.project), project); err != nil {
		return false, halt.Retryf(contract.APIUnavailableReason, "reading the Project before a write: %w", err)
	}
	if project.UID != p.in.project.UID || project.Generation != p.in.project.Generation {
		return true, nil
	}
	return p.lowered(ctx, app, project), nil
}

// lowered says whether the stage is less by now: a rollout fell back, or a
// window has closed.
func (p *pass) lowered(ctx context.Context, app *api.Application, project *api.Project) bool {
	return !stage.Includes(p.stageOf(ctx, p.Writes.Reader, app, project).Effective, p.in.stage.Effective)
}

func (p *pass) granted(emergency func(manifest.ID) string) actuate.Grant {
	account := func(name string) string {
		if name == "" {
			return ""
		}
		return observe.Identity{Namespace: p.app.Namespace, ServiceAccount: name}.String()
	}
	return actuate.Grant{
		Stage: p.in.stage.Effective,
		Apply: account(p.app.Spec.Identity.Apply), Prune: account(p.app.Spec.Identity.Prune),
		Refuses: func(id manifest.ID) string {
			return cmp.Or(emergency(id), desired.Refusal(p.in.project, p.app.Namespace, id))
		},
	}
}

// creates says of an object that is not there whether it would be created in
// this run. One that was refused before is asked about in full.
func (p *pass) creates() func(manifest.ID) bool {
	failing := p.known.acting.ledger.Failing()
	return func(id manifest.ID) bool {
		needs := api.StageSync
		if p.known.memory.Knows(id) {
			needs = api.StageSelfHeal
		}
		return stage.Includes(p.in.stage.Effective, needs) && failing[id] == ""
	}
}

// settle gives new watches a moment, where they spare a look at each object
// that is not there.
func (p *pass) settle(ctx context.Context, keys []watch.Key) {
	const moment = 2 * time.Second
	if p.same || !stage.Includes(p.in.stage.Effective, api.StageSync) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	p.Hub.Await(ctx, keys)
}

// made judges what a write created by the server's answer. Where that fails the
// object is looked at in the next run.
func (p *pass) made(ctx context.Context, req judge.Request, o desired.Object) func(*unstructured.Unstructured) {
	return func(answer *unstructured.Unstructured) {
		if err := p.known.memo.Made(ctx, req, o, answer); err != nil {
			p.known.memo.Drop(o.ID())
		}
	}
}

// intend records what is about to be created or deleted, before it is. While
// pages are behind the memory, an intent in memory is on record nowhere.
func (p *pass) intend(ctx context.Context, steps []plan.Step) error {
	touched := map[manifest.ID]bool{}
	for _, s := range steps {
		e, known := p.known.memory[s.ID]
		switch {
		case s.Verb == plan.Restore:
			p.known.memory[s.ID], touched[s.ID] = p.intendRestore(s), true
		case !known:
			return halt.Retryf(contract.ObservationReason, "%s is not in the inventory, so nothing may be written to it", s.ID)
		case s.Verb == plan.Create && (p.known.acting.unwritten || e.Intend() != e):
			p.known.memory[s.ID], touched[s.ID] = e.Intend(), true
		case s.Verb == plan.Delete:
			p.known.memory[s.ID], touched[s.ID] = e.Delete(p.Late), true
		}
	}
	return p.record(ctx, touched)
}

// record writes the pages that hold these entries.
func (p *pass) record(ctx context.Context, touched map[manifest.ID]bool) error {
	if len(touched) == 0 {
		return nil
	}
	p.doing.touched, p.doing.pages = touched, p.known.memory.Count()
	return p.memorise(ctx)
}

func (p *pass) orders(ctx context.Context, steps []plan.Step) ([]actuate.Order, error) {
	declared := map[manifest.ID]desired.Object{}
	for _, o := range p.set.Objects {
		declared[o.ID()] = o
	}
	req, orders := p.request(), make([]actuate.Order, 0, len(steps))
	for _, s := range steps {
		order := actuate.Order{Step: s}
		if s.Verb == plan.Delete {
			order.Mask = mask.Scope{Key: p.Mask, Secret: true}
			orders = append(orders, order)
			continue
		}
		if s.Verb == plan.Restore {
			kept, err := p.keptObject(s.ID)
			if err != nil {
				return nil, err
			}
			order.Declared, order.Mask = kept, mask.Scope{Key: p.Mask}
			orders = append(orders, order)
			continue
		}
		o, ok := declared[s.ID]
		if !ok {
			return nil, halt.Retryf(contract.ObservationReason, "%s is planned and not declared", s.ID)
		}
		full, err := o.Full()
		if err != nil {
			return nil, halt.Retryf(contract.ObservationReason, "%w", err)
		}
		order.Declared, order.Made = full.Unstructured, p.made(ctx, req, o)
		order.Mask = mask.Scope{
			Key: p.Mask, Secret: s.ID.Kind == "Secret" && s.ID.Group == "", Tainted: p.rendered.Result.TaintedValues(),
		}
		orders = append(orders, order)
	}
	return orders, nil
}

// book writes down how it went. What failed is tried again for ever, with
// backoff; what had moved is judged again at once.
func (p *pass) book(ctx context.Context, outcomes []actuate.Outcome) error {
	acting, now := &p.known.acting, p.Clock.Now()
	touched := map[manifest.ID]bool{}
	for _, o := range outcomes {
		p.Metrics.Wrote(client.ObjectKeyFromObject(p.app), string(o.Step.Verb), string(o.Result))
		p.bookOne(o, now, touched)
	}
	acting.soon = 0
	switch wait, due := acting.ledger.Due(now); {
	case actuate.Any(outcomes, actuate.Done):
		acting.soon = atOnce
	case actuate.Any(outcomes, actuate.Moved):
		acting.soon = time.Second // whoever moves it may go on doing so
	case due:
		acting.soon = max(wait, atOnce)
	}
	p.say(outcomes)
	return p.record(ctx, touched)
}

func (p *pass) bookOne(o actuate.Outcome, now time.Time, touched map[manifest.ID]bool) {
	acting, id := &p.known.acting, o.Step.ID
	before := p.known.memory[id]
	e := before
	switch o.Result {
	case actuate.Done:
		acting.ledger.Succeeded(id)
		p.reverted(o, now)
		if !o.Created || o.Step.Verb == plan.Restore {
			p.known.memo.Drop(id)
		}
		if o.Step.Verb == plan.Create || o.Step.Verb == plan.Restore {
			e = e.Created(o.UID, o.Created)
		}
		if o.Step.Verb == plan.Restore {
			p.known.acting.graves = p.known.acting.graves.Undo(id)
		}
		e = p.fought(e)
	case actuate.Moved:
		p.known.memo.Drop(id)
	case actuate.Refused, actuate.Failed:
		if o.Step.Verb == plan.Create {
			p.known.memo.Drop(id) // a dry run says more of what is in the way
		}
		acting.ledger.Failed(id, o.Message, restraint.BackoffOf(p.app.Spec.Sync), now)
	}
	if o.Step.Verb == plan.Delete && (o.Result == actuate.Moved || o.Result == actuate.Refused) && e.Removed != nil {
		e = e.Delete(time.Time{}) // the server has said that nothing was deleted
	}
	switch {
	case e == before:
	case o.Step.Verb == plan.Create:
		// The next run, which comes at once, writes it with its baseline. Until
		// then the intent is on record.
		p.known.memory[id], acting.unwritten = e, true
	default:
		p.known.memory[id], touched[id] = e, true
	}
}

// fought is an entry with what the breaker has to remember of its object.
func (p *pass) fought(e inventory.Entry) inventory.Entry {
	var places []inventory.Place
	p.known.acting.ledger.Reverts(e.ID, func(pointer, by string, times []time.Time) {
		places = append(places, inventory.Place{Pointer: pointer, By: by, Times: times})
	})
	e.Reverted = string(inventory.PackPlaces(places))
	return e
}

// reverted books the places of a heal, and who had written there.
func (p *pass) reverted(o actuate.Outcome, now time.Time) {
	if o.Step.Verb != plan.Revert || o.Writes == 0 {
		return
	}
	for _, pointer := range o.Step.Pointers {
		p.known.acting.ledger.Reverted(plan.Key{ID: o.Step.ID, Pointer: pointer}, p.writerOf(o.Step.ID, pointer), now)
	}
}

func (p *pass) writerOf(id manifest.ID, pointer string) string {
	for _, object := range p.objects {
		if object.ID != id {
			continue
		}
		for _, j := range object.Judgements {
			if j.Pointer != pointer {
				continue
			}
			var names []string
			for _, owner := range j.Owners {
				names = append(names, owner.Name)
			}
			return cmp.Or(strings.Join(names, ", "), "an unknown writer")
		}
	}
	return "an unknown writer"
}
