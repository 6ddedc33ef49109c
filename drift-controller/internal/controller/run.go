// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/judge"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/renders"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
)

// application is what is kept of one Application between runs.
type application struct {
	sync.Mutex
	memo     *judge.Memo
	memory   inventory.Memory
	recalled bool // pages of an earlier process were read
	last     lastReport
	census   census
	removed  []judge.Relic
	pods     podMemory
	forgot   bool // pages of the inventory are to be written in full
	failures int
	set      *placed
	acting   acting
}

// lastReport is what is remembered of it, and of the status that told it.
type lastReport struct {
	written
	seen   map[report.EntryKey]metav1.Time
	quiet  map[manifest.ID]bool // objects with an entry
	hidden map[plan.Key]bool    // edits that an ignore rule hid
	fresh  []api.DriftEntry     // entries that the report before did not have
}

// census is the last look for strays, and the set that it was taken for.
type census struct {
	strays   []live.Stray
	unlisted []string
	at       time.Time
	of       string
}

// placed is the desired set with what it was made of.
type placed struct {
	key   string
	set   desired.Set
	index consumers.Index
	waves map[manifest.ID]int
	kept  bool // for an undo
}

func newApplication() *application {
	return &application{memo: judge.NewMemo(), memory: inventory.Memory{}}
}

// pass is one run over one Application: what each step left for the next.
type pass struct {
	*Reconciler
	app   *api.Application
	known *application
	clocks.Times
	in       inputs
	rendered *renders.Rendered
	set      desired.Set
	same     bool    // the set is the last run's
	placed   *placed // the new set, until it is whole
	looked
	facts status.Facts
	doing doing
}

// looked is what was seen of the declared objects, and of those of
// spec.healthChecks.
type looked struct{ objects, further []drift.Object }

// run goes from the inputs to a published report. The facts are good as far as
// it got; the error is a halt.
func (r *Reconciler) run(ctx context.Context, app *api.Application, known *application, present clocks.Times) (status.Facts, error) {
	p := &pass{Reconciler: r, app: app, known: known, Times: present}
	for _, step := range []func(context.Context) error{
		p.gather, p.deletionGuard, p.recall, p.render, p.desire, p.serve, p.judge, p.strays, p.removed, p.recollect, p.plan, p.report, p.answer, p.identified, p.act,
	} {
		if err := step(ctx); err != nil || p.facts.Suspended {
			return p.facts, err
		}
	}
	return p.facts, nil
}

// identified ends a run that had nobody to look as: it has published that every
// object is Unknown, and only another spec helps.
func (p *pass) identified(context.Context) error {
	if p.in.denied == "" {
		return nil
	}
	return halt.Stalledf(contract.IdentityMissingReason, "%s; until then every object is Unknown", p.in.denied)
}

// recall reads the pages of an earlier process, once.
func (p *pass) recall(ctx context.Context) error {
	if p.known.recalled {
		return nil
	}
	name := client.ObjectKeyFromObject(p.app)
	reports, err := p.Pages.Reports(ctx, name)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	inventories, err := p.Pages.Inventories(ctx, name)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	p.known.memory, p.known.last.seen = inventory.Read(inventories), report.SeenIn(reports)
	p.known.acting.graves = inventory.ReadGraves(inventories)
	p.known.acting.recall(p.known.memory)
	p.known.last.quiet, p.known.last.hidden = map[manifest.ID]bool{}, map[plan.Key]bool{}
	for key := range p.known.last.seen {
		p.known.last.quiet[key.ID] = true
	}
	for _, page := range reports {
		p.known.last.hide(page.Status.Entries)
	}
	p.known.recalled = true
	return nil
}

// hide remembers the edits that an ignore rule keeps out of the count.
func (l *lastReport) hide(entries []api.DriftEntry) {
	for _, e := range entries {
		if !e.Drift && e.Class == api.ClassManual {
			key := report.KeyOf(e)
			l.hidden[plan.Key{ID: key.ID, Pointer: key.Path}] = true
		}
	}
}

func (p *pass) render(ctx context.Context) (err error) {
	p.rendered, err = p.Renders.Render(ctx, p.in.render)
	return err
}

// desire makes the desired set, or takes the last one if nothing moved.
func (p *pass) desire(ctx context.Context) error {
	scopes, err := p.Cluster.Scopes(ctx)
	if err != nil {
		return halt.Retryf(contract.DiscoveryFailedReason, "asking the API server for its kinds: %w", err)
	}
	key := p.rendered.Key + p.in.limitsKey() + scopesKey(scopes)
	if last := p.known.set; last != nil && last.key == key {
		p.set, p.same = last.set, true
		return nil
	}
	if p.rendered.Released() {
		if p.rendered, err = p.Renders.Again(ctx, p.in.render); err != nil {
			return err
		}
	}
	p.set, err = desired.Make(desired.Input{
		Manifests: p.rendered.Result.Objects, Scopes: scopes, Namespace: p.in.namespace,
		OwnNamespace: p.app.Namespace, Project: p.in.project, Key: p.Mask,
	})
	if err != nil {
		return halt.Stalledf(contract.BuildFailedReason, "%w", err)
	}
	manifests := make([]manifest.Object, 0, len(p.set.Objects))
	for _, o := range p.set.Objects {
		manifests = append(manifests, o.Object)
	}
	p.placed = &placed{key: key, index: consumers.Find(manifests), waves: desired.Waves(p.set.Objects)}
	return nil
}

func scopesKey(s manifest.Scopes) string {
	return fmt.Sprint(len(s.Namespaced), s.Incomplete)
}

// serve publishes the masked manifests, and reads what the secrets-controller
// has to say of exactly these.
func (p *pass) serve(ctx context.Context) error {
	rendered, err := p.Renders.Publish(p.in.render, p.rendered, p.set)
	if err != nil {
		return halt.Retryf(contract.ArtifactFailedReason, "%w", err)
	}
	if !p.same {
		// From here on objects are looked at one by one, if at all.
		if p.set, err = p.set.Compact(); err != nil {
			return halt.Stalledf(contract.BuildFailedReason, "%w", err)
		}
		p.placed.set = p.set
		p.known.set = p.placed // whole only now: half a set would make objects look removed
		p.rendered.Release()
	}
	if err := p.keep(); err != nil {
		return err
	}
	p.apps.declared.Store(client.ObjectKeyFromObject(p.app), p.set)
	p.facts.Rendered = rendered
	p.facts.Secrets = p.secrets(ctx, p.app, rendered)
	p.facts.Notes = slices.Concat(p.facts.Notes, p.rendered.Notes())
	p.facts.Incomplete = slices.Concat(p.rendered.Result.Incomplete, p.set.Incomplete)
	return nil
}

func (p *pass) request() judge.Request {
	policy := judge.Policy{
		Ignore: p.in.ignore, Writers: p.in.writers, Health: p.in.health, Key: p.Mask, MaxAge: p.MaxAge,
		Tainted: p.rendered.Result.TaintedValues(), Unstable: p.rendered.Result.Unstable, OwnRules: p.in.ownRules(),
		Digest: p.Mask.Digest([]any{p.app.Spec.Ignore, p.app.Spec.HealthCheckExprs, p.in.ownRules(), p.in.writersKey(), expired(p.in.ignore, p.Now)}),
	}
	return judge.Request{
		Cluster: p.in.observer, Denied: p.in.denied, Objects: p.set.Objects, Same: p.same, Policy: policy,
		Memory: p.known.memory, Now: p.Now, Stamp: p.sight, Creates: p.creates(), Clock: p.Clock.Now,
	}
}

// sight is what the watches know of an object.
func (p *pass) sight(gvk schema.GroupVersionKind, id manifest.ID) judge.Sight {
	key, ok := p.in.keys[gvk.GroupKind()]
	if !ok {
		return judge.Sight{}
	}
	key.Namespace = id.Namespace
	stamp, known := p.Hub.Get(key, id.Name)
	return judge.Sight{Stamp: stamp, Known: known, InStep: p.Hub.Synced(key)}
}

func (p *pass) judge(ctx context.Context) error {
	p.settle(ctx, p.watchObjects(p.app, p.in, p.set))
	started := p.Clock.Now()
	req := p.request()
	if !p.known.memo.Remembered() && req.Denied == "" {
		if err := p.known.memo.Recall(ctx, req, func(id manifest.ID) bool { return !p.known.last.quiet[id] }); err != nil {
			return err
		}
	}
	objects, err := p.known.memo.Objects(ctx, req)
	p.objects = append(objects, unjudged(p.rendered.Result, p.in.namespace)...)
	if err == nil && req.Denied == "" {
		p.further, err = p.known.memo.Further(ctx, req, p.in.checked())
	}
	p.Metrics.Compared(client.ObjectKeyFromObject(p.app), p.Clock.Since(started))
	p.facts.Notes = slices.Concat(p.facts.Notes, p.known.memo.Unread(), p.known.memo.NoDryRuns())
	return err
}

// report writes the pages and leaves the comparison for the status.
func (p *pass) report(ctx context.Context) error {
	input := report.Input{
		Application: report.Name{Namespace: p.app.Namespace, Name: p.app.Name},
		Stage:       p.in.stage.Effective, Objects: p.objects, Removed: entries(p.known.removed, p.known.memory), Strays: p.known.census.strays,
		Readers: p.known.set.index, Seen: p.known.last.seen, Writers: p.in.writers, Now: p.Now,
		Declared: p.rendered.DeclaredAt, Planned: report.Planned{Actions: p.doing.planned.ByPlace(), Old: p.doing.old},
	}
	input.Pods = p.pods(ctx, input)
	entries := report.Entries(input)
	a := p.in.render.Artifact
	if err := p.Pages.WriteReports(ctx, p.app, report.Pages(entries, a.Revision, a.Digest)); err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	if !p.begins() {
		if err := p.memorise(ctx); err != nil {
			return err
		}
	}
	p.known.last.remember(entries)
	p.facts.Notes = slices.Concat(p.facts.Notes, p.known.census.unlisted, p.known.memory.Unkept())
	rules := report.IgnoreRules(p.in.ignore, p.objects, p.app.Status.IgnoreRules, p.Now)
	p.facts.Notes = slices.Concat(p.facts.Notes, report.IgnoreNotes(rules, p.objects))
	summary := report.Summary(input, entries)
	summary.Untriaged = int32(p.doing.planned.Untriaged()) //nolint:gosec // a count of places
	p.facts.Compared = &status.Comparison{
		Objects: p.objects, Further: p.further, Summary: summary, Ignore: rules, Own: report.OwnRules(p.objects),
	}
	return nil
}

// recollect is the next memory: what was judged anew, what enters Sync, and
// what is backlog.
func (p *pass) recollect(context.Context) error {
	before, changed := p.known.memory, p.known.memo.Changed()
	anew := slices.DeleteFunc(slices.Clone(p.objects), func(o drift.Object) bool { return !changed[o.ID] })
	next := before.Next(anew, p.known.memo.Key, p.Now)
	p.doing.old, p.doing.settling = map[plan.Key]bool{}, map[manifest.ID]bool{}
	touched, inputs := changed, p.inputs()
	for _, o := range p.objects {
		e, known := next[o.ID]
		if !known {
			continue
		}
		e = p.marked(e, before[o.ID], o).Declared(inputs)
		if e.Settled && !next[o.ID].Settled && parted(o) {
			// Judged by the old baseline, it cannot be planned by the new one.
			p.doing.settling[o.ID] = true
			p.known.memo.Drop(o.ID)
		}
		if e != next[o.ID] {
			next[o.ID], touched[o.ID] = e, true
		}
	}
	p.entombed(next, touched)
	p.doing.touched, p.doing.pages, p.doing.first = touched, before.Count(), len(before) == 0
	// Until memorise has written it, the pages are behind what is known here.
	p.known.forgot = p.known.forgot || p.known.acting.unwritten
	p.known.memory, p.known.acting.unwritten = next, true
	return nil
}

// begins is true while a first sync has not written yet. Of objects that are
// not there the inventory has nothing to remember but the intents, which act
// writes before it creates anything: its pages need not be written twice.
func (p *pass) begins() bool {
	const patience = 10 * time.Second // with a source that does not answer
	begun := &p.known.acting.begun
	if p.doing.first {
		*begun = p.Now
	}
	if begun.IsZero() || p.Now.Sub(*begun).Abs() > patience {
		return false
	}
	creates := map[manifest.ID]bool{}
	for _, s := range p.doing.planned.Steps() {
		creates[s.ID] = s.Verb == plan.Create
	}
	for id, e := range p.known.memory {
		if !creates[id] || e.UID != "" {
			return false
		}
	}
	return len(p.known.memory) > 0
}

// memorise writes the pages of the inventory that hold an object judged anew.
func (p *pass) memorise(ctx context.Context) error {
	count := p.known.memory.Count()
	only := map[int]bool{}
	for id := range p.doing.touched {
		only[pages.Of(id, count)] = true
	}
	if p.doing.pages != count || p.known.forgot {
		only, p.known.forgot = nil, false
	}
	p.known.memo.Recorded(p.doing.touched)
	if err := p.Pages.WriteInventory(ctx, p.app, p.known.memory, p.known.acting.graves, only); err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	p.known.acting.unwritten, p.known.acting.begun = false, time.Time{}
	return nil
}

// remember keeps when entries were first seen, and which are new.
func (l *lastReport) remember(entries []api.DriftEntry) {
	seen := make(map[report.EntryKey]metav1.Time, len(entries))
	l.fresh, l.hidden = nil, map[plan.Key]bool{}
	for _, e := range entries {
		key := report.KeyOf(e)
		seen[key] = e.FirstSeen
		if _, before := l.seen[key]; !before && e.Drift {
			l.fresh = append(l.fresh, e)
		}
	}
	l.seen = seen
	l.hide(entries)
}
