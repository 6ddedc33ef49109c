// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	testclock "k8s.io/utils/clock/testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/judge"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/metrics"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/publish"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/renders"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

var dawn = time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)

const quarantine = 10 * time.Minute

// guards are those of the writer that can be taken away.
type guards struct {
	ignores
	cache  bool // what may stop a write is read from a cache
	source bool // the source counts as asked
	stage  bool // the writer takes every stage for Prune
	names  bool // and every account for named
}

// little is a world as small as a test of a writer needs it: the controller's
// own act over a double of the API server. Rendering and judging are told.
type little struct {
	*double
	rand    *rand.Rand
	without guards

	now, ours *testclock.FakePassiveClock // true time, and what our clock says
	app       *application                // what the process keeps
	r         *Reconciler
	observer  *observe.Cluster     // which finds nothing but objects: what was created is looked at later
	git       map[string]bool      // declared names, by the last commit
	fetched   map[string]bool      // by what the source has served
	handled   string               // the question that it served it for
	seen      map[string]time.Time // by this process, each state of an object
	digest    string               // of the last prune plan

	truths
}

// truths are what a judge knows and no controller.
type truths struct {
	wrong     string
	broken    error                // that ended a run, and not the process
	shown     map[string]time.Time // since when a tombstone is
	returned  map[string]time.Time // since when Git declares it again
	persons   map[types.UID]bool
	looked    map[string]string // resourceVersion that the run looked at
	created   map[types.UID]bool
	deletions int
	stage     api.Stage // as the world began with
	// What stood when what may stop a write was read.
	read            api.Stage
	glass, approved bool
}

func newLittle(seed uint64, without guards) *little {
	r := rand.New(rand.NewPCG(seed, 31)) //nolint:gosec // worlds, not secrets
	l := &little{
		double: newDouble(), rand: r, without: without, git: map[string]bool{}, fetched: map[string]bool{},
		now: testclock.NewFakePassiveClock(dawn), ours: testclock.NewFakePassiveClock(dawn),
		truths: truths{
			shown: map[string]time.Time{}, returned: map[string]time.Time{}, persons: map[types.UID]bool{},
			looked: map[string]string{}, created: map[types.UID]bool{},
		},
	}
	l.ignores = without.ignores
	l.ignores.intent = false // only while it acts
	l.date = func() string { return l.now.Now().UTC().Format(http.TimeFormat) }
	l.wrote, l.granted, l.touched = l.judge, l.stops, l.meddles
	l.published = l.notes
	stages := []api.Stage{api.StagePrune, api.StagePrune, api.StagePrune, api.StageSelfHeal, api.StageSync}
	l.stage = stages[r.IntN(len(stages))]
	most, shown := intstr.FromInt32(1+r.Int32N(4)), metav1.Duration{Duration: quarantine * time.Duration(r.IntN(2))}
	l.double.app = &api.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "maps", UID: "app", Generation: 1},
		Spec: api.ApplicationSpec{
			Project: "shop", Stage: l.stage, Identity: api.Identity{Observe: "observer", Apply: "deployer", Prune: "pruner"},
			Prune: &api.PrunePolicy{MaxDeletions: &most, Quarantine: &shown},
		},
		Status: api.ApplicationStatus{Stage: api.StageStatus{Effective: l.stage}},
	}
	if r.IntN(6) == 0 {
		l.double.app.Spec.Identity.Prune = ""
	}
	l.project = &api.Project{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "project", Generation: 1},
		Spec: api.ProjectSpec{
			MaxStage: api.StagePrune, ApplicationNamespaces: []string{"shop"}, Destinations: []api.ProjectDestination{{Namespace: "shop"}},
		},
	}
	for i := range 5 {
		l.git[fmt.Sprint("m-", i)] = true
	}
	l.fetched = maps.Clone(l.git)
	l.start()
	return l
}

// start is a new process: it has nothing but what is in the cluster.
func (l *little) start() {
	l.dead, l.left, l.lastOne = false, 1+l.rand.IntN(60), l.rand.IntN(2) == 0
	l.ours.SetTime(l.now.Now().Add([]time.Duration{0, 0, 0, 0, 25 * time.Hour, -time.Hour}[l.rand.IntN(6)]))
	if l.without.date {
		l.ours.SetTime(l.now.Now().Add(time.Duration(l.rand.IntN(2)) * 25 * time.Hour))
	}
	clock := clocks.New(l.ours)
	config := &rest.Config{Host: "http://double", Transport: clock.Wrap(l.double), QPS: -1}
	kinds := func(context.Context, schema.GroupVersionKind) (schema.GroupVersionResource, bool, error) {
		return schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, true, nil
	}
	l.observer, l.broken = observe.Connect(config, observe.Options{DryRuns: 1})
	l.app, l.seen = newApplication(), map[string]time.Time{}
	l.r = &Reconciler{
		Client: l.double, Clock: clock, Events: record.NewFakeRecorder(0), Metrics: metrics.New(prometheus.NewRegistry()),
		Pages:  &publish.Pages{Client: l.double, Reader: l.double},
		Writes: &Writes{Reader: present{l.double}, Writer: actuate.New(config, kinds, actuate.Options{Writes: 1})},
	}
	l.r.Events.(*record.FakeRecorder).Events = nil //nolint:forcetypeassert // it was just made
	l.hear()
}

// hear is an answer of the API server, as there are many in each run. Its clock
// goes on between two of them in a real process, and not in this one.
func (l *little) hear() {
	touched := l.touched
	defer func() { l.touched = touched }()
	l.touched = func() {}
	request, err := http.NewRequest(http.MethodGet, "http://double/configmaps/m-0", http.NoBody)
	if err != nil {
		l.broken = err
		return
	}
	if answer, err := l.r.Clock.Wrap(l.double).RoundTrip(request); err == nil {
		answer.Body.Close()
	}
}

func (l *little) step(by time.Duration) {
	l.now.SetTime(l.now.Now().Add(by))
	l.ours.SetTime(l.ours.Now().Add(by))
}

// turn is one run of the controller, from the source to the writes.
func (l *little) turn(ctx context.Context) error {
	l.hear()
	if l.asked != l.handled { // the source fetches when it is asked
		l.fetched, l.handled = maps.Clone(l.git), l.asked
	}
	p := &pass{Reconciler: l.r, app: l.double.app.DeepCopy(), known: l.app, Times: l.r.Clock.Times(), rendered: &renders.Rendered{}}
	p.in = inputs{app: p.app, namespace: "shop", project: l.project.DeepCopy(), observer: l.observer}
	p.in.source = sourceState{key: sourceKey{kind: "GitRepository", name: types.NamespacedName{Namespace: "shop", Name: "repo"}}, handled: l.handled, current: true}
	p.in.stage = p.stageOf(ctx, l.double, p.app, p.in.project)
	p.app.Status.Stage.Effective = p.in.stage.Effective // that a step makes backlog is another test's
	if err := p.recall(ctx); err != nil {
		return err
	}
	l.render(p)
	l.look(p)
	if err := l.recollect(ctx, p); err != nil {
		return err
	}
	if l.without.cache {
		l.r.Writes.Reader = l.remembered()
	}
	if err := l.plan(ctx, p); err != nil {
		return err
	}
	if l.without.stage {
		p.in.stage.Effective = api.StagePrune
		l.r.Writes.Reader = l.remembered()
	}
	if l.without.names {
		p.app.Spec.Identity.Prune = "somebody"
	}
	if l.without.source {
		p.Writes.sources.asks = map[sourceKey]*asked{p.in.source.key: {token: l.handled, at: p.Now.Add(time.Hour)}}
	}
	l.ignores.intent = l.without.intent
	defer func() { l.ignores.intent = false }()
	return p.act(ctx)
}

// plan is what the plan says, or now and then what a faulty one would: the code
// is made to try what the stage does not grant.
func (l *little) plan(ctx context.Context, p *pass) error {
	p.doing.glasses, p.doing.emergency = l.glasses, p.emergencies(l.glasses)
	p.doing.approvals = approved(l.approvals, p.app.Name, p.Late)
	policy, err := p.policy(ctx)
	if err != nil {
		return err
	}
	if l.rand.IntN(4) == 0 {
		policy.Stage, policy.Holds = api.StagePrune, plan.Holds{}
	}
	p.doing.planned = plan.Make(plan.Input{Objects: p.objects, Removed: p.removals(), Policy: policy})
	l.digest = p.doing.planned.Prune.Digest
	return nil
}

// render is the desired set of what was fetched.
func (l *little) render(p *pass) {
	var manifests []manifest.Object
	for _, name := range slices.Sorted(maps.Keys(l.fetched)) {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"KEY": "git"}}}
		o.SetNamespace("shop")
		o.SetName(name)
		manifests = append(manifests, manifest.Object{Unstructured: o})
	}
	set, err := desired.Make(desired.Input{Manifests: manifests, Namespace: "shop", OwnNamespace: "shop", Project: p.in.project})
	if err != nil {
		l.wrong = err.Error()
	}
	p.set, p.known.set = set, &placed{set: set}
}

// notes sees tombstones come and go, as whoever reads the Inventory does.
func (l *little) notes(page api.InventoryStatus) {
	before := maps.Clone(l.shown)
	clear(l.shown)
	for _, e := range page.Objects {
		if e.Removed == nil || e.Removed.Shown == nil {
			continue
		}
		l.shown[e.Object.Name] = l.now.Now()
		if since, known := before[e.Object.Name]; known {
			l.shown[e.Object.Name] = since
		}
	}
}

func idOf(name string) manifest.ID {
	return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}
}

// look judges: what is not there is Missing, and what a person added by hand is
// theirs.
func (l *little) look(p *pass) {
	for _, o := range p.set.Objects {
		id, now := o.ID(), l.objects[o.ID().Name]
		object := drift.Object{ID: id, Version: "v1", Verdict: api.VerdictMissing, Known: p.known.memory.Knows(id), Seen: p.Now}
		if now != nil {
			object.Verdict, object.UID, object.State = api.VerdictInSync, string(now.GetUID()), live.StateOf(now)
			object.ResourceVersion, object.Health.Status = now.GetResourceVersion(), "Current"
			if _, edited, _ := unstructured.NestedString(now.Object, "data", "EDIT"); edited {
				object.Verdict = api.VerdictDrifted
				object.Judgements = []drift.Judgement{{
					Difference: compare.Difference{Pointer: "/data/EDIT", Path: keyedpath.FieldPath("data", "EDIT"), Kind: api.Added},
					Class:      api.ClassManual, Drift: true, Heal: true, Rule: drift.NoRule,
				}}
			}
			l.looked[id.Name] = now.GetResourceVersion()
		}
		// What was seen before is not looked at again.
		state := id.Name + object.UID + object.ResourceVersion
		if _, before := l.seen[state]; !before {
			l.seen[state] = p.Now
		}
		object.Seen = l.seen[state]
		p.objects = append(p.objects, object)
	}
}

// recollect is the memory of this run, with what the inventory has and Git
// dropped as it is now.
func (l *little) recollect(ctx context.Context, p *pass) error {
	before := p.known.memory
	next := before.Next(p.objects, func(manifest.ID) string { return "" }, p.Now)
	p.doing.old, p.doing.settling, p.doing.touched = map[plan.Key]bool{}, map[manifest.ID]bool{}, map[manifest.ID]bool{}
	for _, o := range p.objects {
		next[o.ID] = p.marked(next[o.ID], inventory.Entry{UID: "seen before"}, o).Declared(p.inputs())
		p.doing.touched[o.ID] = next[o.ID] != before[o.ID]
	}
	p.known.removed = nil
	var gone []manifest.ID
	for _, e := range before.Removed(p.set.Declares) {
		now := l.objects[e.ID.Name]
		switch {
		case now != nil && e.Intended():
			e.UID, e.Origin = string(now.GetUID()), api.OriginAdopted
			fallthrough
		case now != nil && string(now.GetUID()) == e.UID:
			r := judge.Relic{Entry: e, Now: now.GetResourceVersion()}
			if _, kept, _ := unstructured.NestedString(now.Object, "data", "KEEP"); kept {
				r.Stays = "a person asks to keep it"
			}
			l.looked[e.ID.Name] = r.Now
			p.known.removed = append(p.known.removed, r)
		default:
			p.known.acting.graves = p.known.acting.graves.Bury(e, p.Late)
			gone = append(gone, e.ID)
		}
	}
	next = next.Forget(gone...)
	p.entombed(next, p.doing.touched)
	p.known.forgot = true
	p.known.memory, p.doing.pages = next, before.Count()
	return p.memorise(ctx)
}
