// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/emergency"
	"github.com/holdfast-gitops/holdfast/drift-controller/gate"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/restraint"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// acting is what is kept of an application's writes between runs.
type acting struct {
	ledger restraint.Ledger
	agreed map[string]bool  // lines of plans that were approved while whole
	graves inventory.Graves // what was deleted in the last days
	soon   time.Duration    // when the next run is wanted; zero: no hurry
	looked closeLook        // at what would be deleted
	// unwritten: the inventory's pages are behind the memory, so that the next
	// run writes all that differ.
	unwritten bool
	// begun is when a first sync began whose inventory is not written yet.
	begun time.Time
}

// doing is what one run plans, and on what grounds.
type doing struct {
	planned   plan.Plan
	old       map[plan.Key]bool
	settling  map[manifest.ID]bool // their baseline was taken in this run
	touched   map[manifest.ID]bool // entries of the inventory to write
	pages     int                  // that the inventory had before
	first     bool                 // the inventory was empty before
	glasses   []api.BreakGlass
	emergency emergency.Outcome
	approvals map[string]bool
	keeps     map[manifest.ID]string // what must stay whatever Git says
	ending    bool                   // the Application is being deleted
}

// marked is an entry with what the stages above Observe have to remember.
func (p *pass) marked(e, before inventory.Entry, o drift.Object) inventory.Entry {
	if stage.Includes(p.in.stage.Effective, api.StageSync) {
		e = e.Settle(o)
	} else {
		e.Settled = false
	}
	if o.Verdict == api.VerdictUnknown {
		return e // what is backlog cannot be told now, and stays as it was
	}
	var old []string
	for _, pointer := range healable(o) {
		if p.isOld(before, o.ID, pointer) {
			old = append(old, pointer)
			p.doing.old[plan.Key{ID: o.ID, Pointer: pointer}] = true
		}
	}
	return e.Flag(old)
}

// healable are the places of an object that self-heal would write.
func healable(o drift.Object) []string {
	if o.Verdict == api.VerdictMissing {
		return []string{""}
	}
	var pointers []string
	for _, j := range o.Judgements {
		if j.Drift && j.Class == api.ClassManual {
			pointers = append(pointers, j.Pointer)
		}
	}
	return pointers
}

// isOld says whether a difference is backlog: it stood before the step to
// SelfHeal, or nobody can say that it did not, since the object was never
// judged before; or an ignore rule hid it until now.
func (p *pass) isOld(before inventory.Entry, id manifest.ID, pointer string) bool {
	heals := func(s api.Stage) bool { return stage.Includes(s, api.StageSelfHeal) }
	key := plan.Key{ID: id, Pointer: pointer}
	switch {
	case !heals(p.in.stage.Effective), !heals(p.app.Status.Stage.Effective):
		return true // below it, or at the very step
	case before.UID == "", before.Verdict == api.VerdictUnknown:
		return true
	}
	return before.Flagged(pointer) || p.known.last.hidden[key]
}

// plan says what would be done about what was found, and what is refused.
func (p *pass) plan(ctx context.Context) error {
	glasses := &api.BreakGlassList{}
	if err := p.List(ctx, glasses, client.InNamespace(p.app.Namespace)); err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "reading BreakGlasses: %w", err)
	}
	p.doing.glasses, p.doing.emergency = glasses.Items, p.emergencies(glasses.Items)
	approvals := &api.ApprovalList{}
	if err := p.List(ctx, approvals, client.InNamespace(p.app.Namespace)); err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "reading Approvals: %w", err)
	}
	p.doing.approvals = approved(approvals.Items, p.app.Name, p.Late)
	policy, err := p.policy(ctx)
	if err != nil {
		return err
	}
	pruned := p.pruned()
	policy.Prune.AskedBack = askedBack(approvals.Items, p.app.Name, plan.UndoDigest(pruned), p.Late)
	p.doing.planned, err = p.proven(ctx, plan.Input{Objects: p.objects, Pruned: pruned, Policy: policy})
	if err != nil {
		return err
	}
	p.agree()
	p.tell(policy)
	return nil
}

// emergencies asks what stops writes now.
func (p *pass) emergencies(glasses []api.BreakGlass) emergency.Outcome {
	in := emergency.Input{Application: p.app.Name, Glasses: glasses, Hold: p.app.Status.Hold, Now: p.Early}
	if p.in.project != nil {
		in.Policy = &p.in.project.Spec.BreakGlass
	}
	seen := func(id manifest.ID, pointer string) time.Time {
		if at, ok := p.known.last.seen[report.EntryKey{ID: id, Path: pointer}]; ok {
			return at.Time
		}
		return p.Now
	}
	for _, o := range p.objects {
		if o.Verdict == api.VerdictUnknown {
			in.Unknown = append(in.Unknown, o.ID)
			continue
		}
		for _, pointer := range healable(o) {
			in.Edits = append(in.Edits, emergency.Edit{ID: o.ID, Pointer: pointer, FirstSeen: seen(o.ID, pointer)})
		}
	}
	return emergency.Decide(in)
}

// approved are the plans that somebody has approved and whose approval has not
// ended.
func approved(list []api.Approval, app string, now time.Time) map[string]bool {
	digests := map[string]bool{}
	for _, a := range list {
		if a.Spec.Application == app && a.DeletionTimestamp.IsZero() && now.Before(a.Spec.Until.Time) {
			digest := a.Spec.Digest
			if len(a.Spec.Objects) > 0 {
				digest += partly // of an undo; no other plan is approved in part
			}
			digests[digest] = true
		}
	}
	return digests
}

func (p *pass) policy(ctx context.Context) (plan.Policy, error) {
	spec := p.app.Spec
	policy := plan.Policy{
		Stage: p.in.stage.Effective, Takeover: spec.Sync != nil && spec.Sync.Takeover,
		Old: p.doing.old, Contested: p.known.acting.ledger.Contested(p.Now), Waves: p.known.set.waves,
		Unsettled: p.unsettled(), Approvals: p.doing.approvals, Agreed: p.known.acting.agreed,
		Prune:   p.prunePolicy(),
		Failing: p.known.acting.ledger.Failing(), Holds: plan.Holds{Objects: map[manifest.ID]string{}},
	}
	if spec.Heal != nil {
		policy.Backlog = spec.Heal.Backlog
	}
	for _, o := range p.objects {
		if reason := p.withheld(o); reason != "" {
			policy.Holds.Objects[o.ID] = reason
		}
	}
	p.readiness(policy.Holds.Objects)
	for _, r := range p.known.removed {
		if reason := p.doing.emergency.Refuses(r.ID); reason != "" {
			policy.Holds.Objects[r.ID] = reason
		}
	}
	var err error
	if policy.Holds.Sync, err = p.dependencies(ctx); err != nil {
		return policy, err
	}
	policy.Holds.Sync = cmp.Or(p.gated(), policy.Holds.Sync)
	return policy, nil
}

// withheld says why one object is not written: an emergency, or two
// applications that would write it in turn.
func (p *pass) withheld(o drift.Object) string {
	if o.Verdict == api.VerdictInSync {
		return ""
	}
	if reason := p.doing.emergency.Refuses(o.ID); reason != "" {
		return reason
	}
	if other := p.apps.otherThan(client.ObjectKeyFromObject(p.app), o.ID); other != "" {
		return "Application " + other + " declares it too: declare it in one of the two"
	}
	return ""
}

// parted says whether live and Git part at a path that Git declares.
func parted(o drift.Object) bool {
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool { return j.Declared && j.Drift })
}

// unsettled objects have no baseline from the step to Sync yet, or were not
// judged by it.
func (p *pass) unsettled() map[manifest.ID]bool {
	// A copy: what waits for its step to Sync is no reason to run again at once.
	unsettled := maps.Clone(p.doing.settling)
	for _, o := range p.objects {
		if e, known := p.known.memory[o.ID]; known && e.UID != "" && !e.Settled {
			unsettled[o.ID] = true
		}
	}
	return unsettled
}

// gated says what the declaration verdict holds: the sync of this artifact,
// which another commit replaces. Warn only tells.
func (p *pass) gated() string {
	s := p.facts.Secrets
	if s.Gate == api.GateWarn && s.Verdict == secrets.VerdictDeny {
		p.facts.Notes = append(p.facts.Notes, "the declared secrets are not valid, and spec.secrets.gate is Warn: "+s.Reason)
	}
	if holds, reason := s.Holds(); holds {
		return "spec.secrets.gate is Enforce: " + reason
	}
	return ""
}

// readiness holds the readers of Secrets that were not delivered.
func (p *pass) readiness(holds map[manifest.ID]string) {
	if s := p.facts.Secrets; s.Gate == api.GateEnforce && p.known.set != nil {
		for id, reason := range gate.Readers(s.Undelivered, p.set.Objects, p.known.set.index) {
			holds[id] = cmp.Or(holds[id], reason)
		}
	}
}

// dependencies says which Application comes first and is not ready. Nothing
// waits here: its status is looked at again in the next run.
func (p *pass) dependencies(ctx context.Context) (string, error) {
	if cycle, err := p.cycle(ctx, p.app, []string{nameOf(p.app)}); err != nil || cycle != "" {
		return cycle, err
	}
	for _, d := range p.app.Spec.DependsOn {
		other := &api.Application{}
		key := client.ObjectKey{Namespace: cmp.Or(d.Namespace, p.app.Namespace), Name: d.Name}
		switch err := p.Get(ctx, key, other); {
		case apierrors.IsNotFound(err):
			return fmt.Sprintf("dependsOn: Application %s does not exist", key), nil
		case err != nil:
			return "", halt.Retryf(contract.APIUnavailableReason, "reading Application %s: %w", key, err)
		}
		for _, kind := range []string{contract.ReadyCondition, contract.HealthyCondition} {
			c := meta.FindStatusCondition(other.Status.Conditions, kind)
			if c == nil || c.Status != "True" || c.ObservedGeneration != other.Generation {
				return fmt.Sprintf("dependsOn: Application %s is not %s", key, kind), nil
			}
		}
	}
	return "", nil
}

func nameOf(app *api.Application) string { return app.Namespace + "/" + app.Name }

// cycle follows dependsOn and names a circle that leads back to a name of the
// way.
func (p *pass) cycle(ctx context.Context, app *api.Application, way []string) (string, error) {
	const deepest = 32
	for _, d := range app.Spec.DependsOn {
		key := client.ObjectKey{Namespace: cmp.Or(d.Namespace, app.Namespace), Name: d.Name}
		if slices.Contains(way, key.String()) {
			return fmt.Sprintf("dependsOn goes in a circle: %v leads back to %s", way, key), nil
		}
		other := &api.Application{}
		if err := p.Get(ctx, key, other); err != nil || len(way) > deepest {
			if err = client.IgnoreNotFound(err); err != nil {
				return "", halt.Retryf(contract.APIUnavailableReason, "reading Application %s: %w", key, err)
			}
			continue
		}
		if found, err := p.cycle(ctx, other, append(slices.Clone(way), key.String())); err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}

// agree keeps the lines of plans that were approved as a whole: such a plan
// shrinks while it is carried out, and is then another one. The inventory has
// them too, so that a restart asks nobody again.
func (p *pass) agree() {
	lines := map[string]manifest.ID{}
	now := map[string]bool{}
	for _, part := range []plan.Part{p.doing.planned.Heal, p.doing.planned.Prune} {
		for _, line := range part.Lines {
			lines[line.Digest()] = line.ID
			if p.doing.approvals[part.Digest] || p.known.acting.agreed[line.Digest()] {
				now[line.Digest()] = true
			}
		}
	}
	byObject := map[manifest.ID][]string{}
	for digest := range now {
		byObject[lines[digest]] = append(byObject[lines[digest]], digest)
	}
	for id, e := range p.known.memory {
		if e.Agreed == "" && byObject[id] == nil {
			continue
		}
		if next := e.Agree(byObject[id]); next != e {
			p.known.memory[id], p.doing.touched[id] = next, true
		}
	}
	p.known.acting.agreed = now
}

// recall takes over from the inventory what an earlier process had to keep.
func (a *acting) recall(memory inventory.Memory) {
	a.agreed = map[string]bool{}
	for id, e := range memory {
		for _, digest := range e.AgreedTo() {
			a.agreed[digest] = true
		}
		for _, place := range inventory.Places(e.Reverted).Unpack() {
			a.ledger.Recall(plan.Key{ID: id, Pointer: place.Pointer}, place.By, place.Times)
		}
	}
}

// tell leaves for the status what is planned and what stands against it.
func (p *pass) tell(policy plan.Policy) {
	d := &p.facts.Doing
	planned, out := p.doing.planned, p.doing.emergency
	d.Hold, d.Until, d.Emergency = out.Hold, out.Until, ""
	if out.Open || out.Held {
		d.Emergency = out.Message
	}
	var plans api.Plans
	if planned.Heal.Actions > 0 {
		plans.Heal = statusOf(planned.Heal)
	}
	plans.Prune, plans.Undo = p.prunes(planned)
	if plans != (api.Plans{}) {
		d.Plans = &plans
	}
	if note := p.leftStanding(); note != "" {
		p.facts.Notes = append(p.facts.Notes, note)
	}
	for key, reason := range policy.Contested {
		d.Contested = append(d.Contested, key.ID.String()+" "+key.Pointer+": "+reason)
	}
	slices.Sort(d.Contested)
	if policy.Holds.Sync != "" && stage.Includes(policy.Stage, api.StageSync) {
		p.facts.Notes = append(p.facts.Notes, "nothing is applied: "+policy.Holds.Sync)
	}
}
