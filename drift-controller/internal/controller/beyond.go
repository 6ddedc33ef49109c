// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
)

// strays takes the census every ten minutes, since it lists every kind. A
// render that proves nothing about absence leaves strays untold.
func (p *pass) strays(ctx context.Context) error {
	const every = 10 * time.Minute
	last := p.known.census
	switch {
	case p.in.denied != "" || !p.in.reportStrays():
		p.known.census = census{}
		return nil
	case len(p.facts.Incomplete) > 0:
		p.facts.Notes = append(p.facts.Notes, "strays are unknown while the render is incomplete")
		p.known.census = census{}
		return nil
	case !last.at.IsZero() && p.Now.Sub(last.at) < every && !p.in.asked && last.of == p.known.set.key:
		return nil
	}
	others, err := p.declaredElsewhere(ctx, p.app)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	hooks := p.hooks()
	found, err := p.in.observer.Census(ctx, p.namespaces(), func(id manifest.ID) bool {
		return p.set.Declares(id) || hooks[id] || others[id] || p.known.memory.Knows(id) || p.in.keeps(id)
	})
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "looking for strays: %w", err)
	}
	p.known.census = census{strays: found.Strays, unlisted: found.Unlisted, at: p.Now, of: p.known.set.key}
	return nil
}

// unjudged are declared objects that the render could not give, such as those
// of an encrypted file: declared, and Unknown.
func unjudged(result render.Result, namespace string) []drift.Object {
	var objects []drift.Object
	for _, u := range result.Unjudged {
		if u.Note {
			continue
		}
		id := u.ID
		id.Namespace = cmp.Or(id.Namespace, namespace)
		objects = append(objects, drift.Object{
			ID: id, Source: u.Source, Verdict: api.VerdictUnknown, Reason: "NotRendered", Message: u.Reason,
			Health: drift.Health{Status: "Unknown", Message: u.Reason},
		})
	}
	return objects
}

// hooks are in Git and not run by us: one that its tool left standing is no
// stray.
func (p *pass) hooks() map[manifest.ID]bool {
	known := map[manifest.ID]bool{}
	for _, h := range p.rendered.Result.Hooks {
		id := h.ID
		id.Namespace = cmp.Or(id.Namespace, p.in.namespace)
		known[id] = true
	}
	return known
}

// namespaces are those of the declared objects, and the destination itself.
func (p *pass) namespaces() []string {
	if slices.Contains(p.set.Namespaces, p.in.namespace) {
		return p.set.Namespaces
	}
	return append(slices.Clone(p.set.Namespaces), p.in.namespace)
}

// podMemory keeps when pods started for a while: that matters to a reader, and
// is not worth a list at every walk.
type podMemory map[manifest.ID]podList

// podList is when the pods of one reader started, as of a time.
type podList struct {
	starts []time.Time
	at     time.Time
}

const podsFor = time.Minute

// pods lists, for each difference that counts, when the pods of those who read
// the object started: the older ones still run on the value before it.
func (p *pass) pods(ctx context.Context, in report.Input) map[manifest.ID][]time.Time {
	starts, next := map[manifest.ID][]time.Time{}, podMemory{}
	for _, o := range in.Objects {
		for _, reader := range in.Readers[o.ID] {
			if _, done := next[reader.ID]; done || !touched(o, reader) {
				continue
			}
			if found, ok := p.starts(ctx, reader); ok {
				starts[reader.ID], next[reader.ID] = found.starts, found
			}
		}
	}
	p.known.pods = next
	return starts
}

func touched(o drift.Object, reader consumers.Reader) bool {
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool {
		return j.Drift && reader.Reads(j.Pointer)
	})
}

func (p *pass) starts(ctx context.Context, reader consumers.Reader) (podList, bool) {
	if before, ok := p.known.pods[reader.ID]; ok && p.Now.Sub(before.at) < podsFor {
		return before, true
	}
	if !reader.RunsPods() || p.in.denied != "" {
		return podList{}, false
	}
	starts, err := p.in.observer.PodStarts(ctx, reader.ID.Namespace, labels.SelectorFromSet(reader.Selector))
	if err != nil {
		return podList{}, false // the entry then says that pods were not counted
	}
	return podList{starts: starts, at: p.Now}, true
}

// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=breakglasses/status,verbs=get;update;patch

// answer tells each BreakGlass of the application what was done under it.
func (p *pass) answer(ctx context.Context) error {
	for _, before := range p.doing.glasses {
		status, ours := p.doing.emergency.Statuses[before.Name]
		if !ours || equality.Semantic.DeepEqual(before.Status, status) {
			continue
		}
		after := before.DeepCopy()
		after.Status = status
		patch := client.MergeFromWithOptions(&before, client.MergeFromWithOptimisticLock{})
		err := p.Status().Patch(ctx, after, patch, client.FieldOwner(contract.DriftFieldManager))
		if err = client.IgnoreNotFound(err); err != nil {
			return halt.Retryf(contract.APIUnavailableReason, "answering BreakGlass %s/%s: %w", before.Namespace, before.Name, err)
		}
	}
	return nil
}

// applicationOf is what a BreakGlass or an Approval is about.
func applicationOf(o client.Object) string {
	switch t := o.(type) {
	case *api.BreakGlass:
		return t.Spec.Application
	case *api.Approval:
		return t.Spec.Application
	}
	return ""
}
