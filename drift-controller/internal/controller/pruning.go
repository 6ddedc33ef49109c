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

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// What an Application's spec.prune leaves out.
const (
	defaultQuarantine = 10 * time.Minute
	defaultDeletions  = "10%"
)

// prunePolicy is what the Application and its Project say about deletions.
func (p *pass) prunePolicy() plan.PrunePolicy {
	policy := plan.PrunePolicy{
		Max: intstr.FromString(defaultDeletions), Quarantine: defaultQuarantine, Total: len(p.known.memory), Now: p.Early,
		Spent: inventory.Spent(p.known.memory, p.known.acting.graves, p.Early),
	}
	if s := p.app.Spec.Prune; s != nil {
		policy.Protect = slices.Clone(s.Protect)
		if s.MaxDeletions != nil {
			policy.Max = *s.MaxDeletions
		}
		if s.Quarantine != nil {
			policy.Quarantine = max(s.Quarantine.Duration, 0)
		}
	}
	if p.in.project != nil {
		policy.Protect = append(policy.Protect, p.in.project.Spec.Protect...)
	}
	return policy
}

// removals are what the plan hears of removed objects.
func (p *pass) removals() []plan.Removed {
	removed := make([]plan.Removed, 0, len(p.known.removed))
	for _, r := range p.known.removed {
		e := p.known.memory[r.ID]
		t := e.Removed
		if t == nil {
			continue // it has no tombstone yet, so nothing is planned for it
		}
		removed = append(removed, plan.Removed{
			ID: r.ID, Version: r.Version, UID: e.UID, ResourceVersion: r.Now, Origin: e.Origin,
			Seen: p.settledBy(t), Since: t.Shown, Unproven: r.Unread, Keeps: cmp.Or(r.Stays, p.doing.keeps[r.ID]),
			Beside: t.Beside, Restored: e.Restored,
			Counted: !t.Deleting.IsZero() && p.Early.Sub(t.Deleting) < inventory.Day,
		})
	}
	return removed
}

// proven plans, and looks closer at what would be deleted: only that costs
// requests. What has to stay makes the plan another one.
func (p *pass) proven(ctx context.Context, input plan.Input) (plan.Plan, error) {
	p.doing.keeps = map[manifest.ID]string{}
	checked := map[manifest.ID]bool{}
	for {
		input.Removed = p.removals()
		made := plan.Make(input)
		var doomed []plan.Step
		for _, s := range made.Steps() {
			if s.Verb == plan.Delete && !checked[s.ID] {
				doomed = append(doomed, s)
			}
		}
		if len(doomed) == 0 {
			return made, nil
		}
		if err := p.lookCloser(ctx, doomed); err != nil {
			return made, err
		}
		for _, s := range doomed {
			checked[s.ID] = true
		}
	}
}

// closeLook is what a closer look at some objects found.
type closeLook struct {
	of    string // the objects, as they were
	at    time.Time
	keeps map[manifest.ID]string
}

// lookCloser looks again only where that matters: right before the deletions are
// sent, which is once the source has answered. While a run waits for the answer,
// and again for it, it takes the last look for what it is.
func (p *pass) lookCloser(ctx context.Context, doomed []plan.Step) error {
	const lasts = time.Minute
	var of strings.Builder
	newest := doomed[0].Seen
	for _, s := range doomed {
		fmt.Fprintf(&of, "%s %s %s;", s.ID, s.UID, s.State)
		if s.Seen.After(newest) {
			newest = s.Seen
		}
	}
	last := p.known.acting.looked
	if age := p.Now.Sub(last.at); last.of == of.String() && age >= 0 && age < lasts && !p.doing.ending && !p.Writes.sources.told(p.in.source, newest) {
		maps.Copy(p.doing.keeps, last.keeps)
		return nil
	}
	if err := p.closer(ctx, doomed); err != nil {
		return err
	}
	next := closeLook{of: of.String(), at: p.Now, keeps: map[manifest.ID]string{}}
	for _, s := range doomed {
		next.keeps[s.ID] = p.doing.keeps[s.ID]
	}
	p.known.acting.looked = next
	return nil
}

// closer looks for what a deletion would take along, or would break.
func (p *pass) closer(ctx context.Context, doomed []plan.Step) error {
	namespaces := map[string]bool{}
	for _, s := range doomed {
		namespaces[s.ID.Namespace] = true
	}
	delete(namespaces, "")
	for _, n := range p.namespaces() {
		namespaces[n] = true // where a cluster-scoped object may own something
	}
	dependents, err := p.in.observer.Dependents(ctx, slices.Sorted(maps.Keys(namespaces)))
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	others, err := p.declaredElsewhere(ctx, p.app)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	also := map[manifest.ID]bool{} // what goes anyway
	for _, s := range doomed {
		also[s.ID] = true
	}
	held := func(id manifest.ID) bool { return others[id] || p.known.memory.Knows(id) && !also[id] }
	for _, s := range doomed {
		keeps := cmp.Or(alongWith(dependents.Of(types.UID(s.UID)), held), p.blind(dependents, others))
		if keeps == "" {
			keeps = p.inUse(ctx, s.ID)
		}
		p.doing.keeps[s.ID] = keeps
	}
	stays := func(id manifest.ID) bool { return p.doing.keeps[id] != "" }
	for _, s := range doomed { // now that it is known what of these stays
		p.doing.keeps[s.ID] = cmp.Or(p.doing.keeps[s.ID], alongWith(dependents.Of(types.UID(s.UID)), stays))
	}
	return nil
}

// alongWith says what of an inventory would go with an object.
func alongWith(dependents []manifest.ID, held func(manifest.ID) bool) string {
	for _, id := range dependents {
		if held(id) {
			return fmt.Sprintf("its deletion would take %s along, which an inventory has", id)
		}
	}
	return ""
}

// blind says which kind of an inventory could not be searched: an object of it
// may be owned by what is to be deleted.
func (p *pass) blind(d observe.Dependents, others map[manifest.ID]bool) string {
	if len(d.Incomplete) > 0 {
		return "what its deletion would take along cannot be told: " + d.Incomplete[0]
	}
	namespaces := p.namespaces()
	for id := range others {
		if d.Unlisted[id.GroupKind()] && slices.Contains(namespaces, id.Namespace) {
			return cannotTell(id)
		}
	}
	for id := range p.known.memory {
		if d.Unlisted[id.GroupKind()] {
			return cannotTell(id)
		}
	}
	return ""
}

func cannotTell(id manifest.ID) string {
	return fmt.Sprintf("what its deletion would take along cannot be told: let the observer list %s in namespace %s", id.GroupKind(), id.Namespace)
}

// startsWith are kinds without which a program that uses them does not start.
var startsWith = []string{"Secret", "ConfigMap", "ServiceAccount"}

// inUse says who does not start any more without the object.
func (p *pass) inUse(ctx context.Context, id manifest.ID) string {
	if id.Group != "" || !slices.Contains(startsWith, id.Kind) {
		return ""
	}
	index := []consumers.Index{p.known.set.reads()}
	p.apps.declared.Range(func(name, set any) bool {
		if name != client.ObjectKeyFromObject(p.app) {
			index = append(index, readersOf(set.(desired.Set), id.Namespace)) //nolint:forcetypeassert // nothing else is stored
		}
		return true
	})
	if id.Kind == "Secret" {
		pods, err := p.in.observer.Pods(ctx, id.Namespace)
		if err != nil {
			return "whether a pod uses it cannot be told: let the observer list pods"
		}
		index = append(index, consumers.Find(pods))
	}
	for _, readers := range index {
		for _, r := range readers[id] {
			if r.ID.Namespace == id.Namespace {
				return fmt.Sprintf("%s uses it (%s)", r.ID, r.How)
			}
		}
	}
	return ""
}

// readersOf finds who reads what among the objects of a namespace.
func readersOf(set desired.Set, namespace string) consumers.Index {
	var objects []manifest.Object
	if !slices.Contains(set.Namespaces, namespace) {
		return nil
	}
	for _, o := range set.Objects {
		if full, err := o.Full(); err == nil && o.ID().Namespace == namespace {
			objects = append(objects, full)
		}
	}
	return consumers.Find(objects)
}

// reads is the index of a set; one that is not there reads nothing.
func (s *placed) reads() consumers.Index {
	if s == nil {
		return nil
	}
	return s.index
}

// prunes is what the status says of deletions, and of what can be undone.
func (p *pass) prunes(made plan.Plan) (prune, undo *api.PlanStatus) {
	if made.Prune.State != api.PlanEmpty {
		prune = statusOf(made.Prune)
		prune.Deletions = prune.Actions
	}
	if made.Undo.State != api.PlanEmpty {
		undo = statusOf(made.Undo)
	}
	return prune, undo
}

func statusOf(part plan.Part) *api.PlanStatus {
	const most, longest = 20, 2000
	s := &api.PlanStatus{
		Digest: part.Digest, State: part.State, Actions: int32(min(part.Actions, 1<<30)), //nolint:gosec // bounded
		Message: part.Message,
	}
	if len(s.Message) > longest {
		s.Message = strings.ToValidUTF8(s.Message[:longest], "") + "…"
	}
	for _, line := range part.Lines[:min(len(part.Lines), most)] {
		s.Objects = append(s.Objects, line.ID.String())
	}
	return s
}

// partly marks in the set of approved digests an Approval of some objects.
const partly = " in part"

// keep remembers a render for an undo, where something may be deleted one day:
// also one that was there before the step to Sync.
func (p *pass) keep() error {
	if p.known.set.kept || p.doing.ending || !stage.Includes(p.in.stage.Effective, api.StageSync) {
		return nil
	}
	if err := p.Renders.Keep(p.in.render, p.rendered, p.set); err != nil {
		return halt.Retryf(contract.ArtifactFailedReason, "%w", err)
	}
	p.known.set.kept = true
	return nil
}

// pruned is what could be brought back of what was deleted in the last days.
func (p *pass) pruned() []plan.Pruned {
	if p.doing.ending {
		return nil // who applies the Application again has it all from Git
	}
	list := make([]plan.Pruned, 0, len(p.known.acting.graves))
	for i, g := range p.known.acting.graves {
		if next := i + 1; next < len(p.known.acting.graves) && p.known.acting.graves[next].ID == g.ID {
			continue // deleted again since; the last one counts
		}
		u := plan.Pruned{ID: g.ID, Version: g.Version, UID: g.UID, At: g.At, Undone: g.Undone}
		if !u.Undone {
			u.Refused = p.cannotRestore(g.ID)
		}
		list = append(list, u)
	}
	return list
}

// cannotRestore says why an object cannot be brought back by an undo.
func (p *pass) cannotRestore(id manifest.ID) string {
	e, known := p.known.memory[id]
	switch {
	case p.set.Declares(id):
		return "Git declares it again, so the plan of the stage decides"
	case known && e.UID != "":
		return "an object of that name is there again"
	case id.Group == "" && id.Kind == "Secret":
		return "a Secret is never kept: it returns by rendering again only, so revert the commit that dropped it"
	}
	if other := p.apps.otherThan(client.ObjectKeyFromObject(p.app), id); other != "" {
		return "Application " + other + " declares it"
	}
	if _, err := p.Renders.Kept(client.ObjectKeyFromObject(p.app), id); err != nil {
		return err.Error() + ": revert the commit that dropped it"
	}
	return ""
}

// askedBack says which objects an Approval of the undo plan means.
func askedBack(list []api.Approval, app, digest string, now time.Time) func(manifest.ID) bool {
	return func(id manifest.ID) bool {
		return slices.ContainsFunc(list, func(a api.Approval) bool {
			s := a.Spec
			means := len(s.Objects) == 0 || slices.ContainsFunc(s.Objects, func(k api.KindSelector) bool { return desired.Selects(k, id) })
			return s.Application == app && s.Digest == digest && a.DeletionTimestamp.IsZero() && now.Before(s.Until.Time) && means
		})
	}
}

// intendRestore is the entry of an object that is about to be brought back. It
// stays Removed, since Git does not declare it.
func (p *pass) intendRestore(s plan.Step) inventory.Entry {
	e := inventory.Entry{ID: s.ID, Version: s.Version, Since: p.Now}.Intend()
	e.Inputs, e.Restored = p.inputs(), true
	return e.Entomb(p.Now, p.facts.Revision, "")
}

// keptObject is what an undo applies.
func (p *pass) keptObject(id manifest.ID) (*unstructured.Unstructured, error) {
	o, err := p.Renders.Kept(client.ObjectKeyFromObject(p.app), id)
	if err != nil {
		return nil, halt.Retryf(contract.ArtifactFailedReason, "undo of %s: %w", id, err)
	}
	if namespace := o.GetNamespace(); namespace != id.Namespace {
		return nil, halt.Retryf(contract.ArtifactFailedReason, "undo of %s: %w", id, fmt.Errorf("what is kept is in namespace %q", namespace))
	}
	return o, nil
}
