// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// judge reads the audit log, and nothing that the controller says. It gives how
// many writes and deletions it has judged.
func (w *world) judge(ctx context.Context) (writes, deletions int, err error) {
	sent, err := w.Sent(ctx, audit.InNamespace(w.Namespace))
	if err != nil {
		return 0, 0, err
	}
	if len(sent.Foreign) > 0 {
		return 0, 0, fmt.Errorf("writes that no stage grants: %v", sent.Foreign)
	}
	for _, e := range sent.Pruned {
		if words := w.wronglyDeleted(e); words != "" {
			return 0, 0, fmt.Errorf("%s: %s", words, e)
		}
		if e.Code < 300 {
			deletions++
		}
	}
	if deletions > w.budget {
		return 0, 0, fmt.Errorf("%d deletions, the budget is %d: %v", deletions, w.budget, sent.Pruned)
	}
	for _, e := range sent.Applied {
		if words := w.wronglyWritten(e); words != "" {
			return 0, 0, fmt.Errorf("%s: %s", words, e)
		}
	}
	err = w.stopped(ctx, append(slices.Clone(sent.Applied), sent.Pruned...))
	return len(sent.Applied), deletions, err
}

// wronglyDeleted says what is wrong with asking for a deletion at all. That it
// was not of a person's object is seen in what stands in the end.
func (w *world) wronglyDeleted(e audit.Event) string {
	switch {
	case w.stage != api.StagePrune:
		return "the stage is no permission"
	case !w.dropped[e.Object.Name]:
		return "nobody has dropped it"
	case w.quarantine == long:
		return "it was not shown for long enough"
	case e.Object.Name == adopted:
		return "it was there before Holdfast, and nobody approved it"
	}
	return ""
}

func (w *world) wronglyWritten(e audit.Event) string {
	name := e.Object.Name
	_, declared := w.declared[name]
	switch {
	case w.stage == api.StageObserve:
		return "Observe writes nothing"
	case e.Received.Before(w.began):
		return "" // the first sync
	case !declared && !w.before[name] && !w.changed[name]:
		return "Git has never declared it"
	case w.fault.asks && declared:
		return ""
	case w.stage == api.StageSync && !w.changed[name]:
		return "no commit has changed it, so that it is a heal"
	case w.stage == api.StageSync && e.Code == 201 && w.before[name]:
		return "it was there and was deleted by hand, so that it is a heal"
	}
	return ""
}

// stopped holds each write against what its writer had read last. What was on
// its way when a person stopped it is nobody's fault.
func (w *world) stopped(ctx context.Context, writes []audit.Event) error {
	if len(w.stops) == 0 {
		return nil
	}
	events, err := w.Cluster.Audit(ctx)
	if err != nil {
		return err
	}
	own := audit.Select(events, audit.InNamespace(w.Namespace), audit.ByActor(holdfast.Account(holdfast.Drift)))
	for _, s := range w.stops {
		for _, e := range writes {
			if e.Received.Before(s.from) || e.Received.After(s.till) {
				continue
			}
			if read := lastRead(own, s.resource, e.Received); read.After(s.from) {
				return fmt.Errorf("written although %s was read at %s, after everything was stopped at %s: %s",
					s.resource, read.Format(time.RFC3339Nano), s.from.Format(time.RFC3339Nano), e)
			}
		}
	}
	return nil
}

// lastRead is when a resource of the namespace was last read before a moment.
// Watches are of all namespaces, and none of these.
func lastRead(own []audit.Event, resource string, before time.Time) (at time.Time) {
	for _, e := range own {
		reads := e.Object.Resource == resource && e.Object.Subresource == "" && (e.Verb == "get" || e.Verb == "list")
		if reads && e.Received.Before(before) && e.Received.After(at) {
			at = e.Received
		}
	}
	return at
}

// settles waits until there is nothing left to do but what waits for a person.
func (w *world) settles(ctx context.Context) error {
	return lab.Poll(ctx, func(ctx context.Context) error {
		a, err := w.Application(ctx, app)
		if err != nil {
			return err
		}
		if c := a.Status.Compared; c == nil || !strings.HasSuffix(c.Revision, w.Commit) || a.Status.ObservedGeneration != a.Generation {
			return fmt.Errorf("not done:\n%s", w.StatusText(a))
		}
		if err := w.stands(ctx); err != nil {
			return fmt.Errorf("%w:\n%s", err, w.StatusText(a))
		}
		return nil
	})
}

// stands holds the cluster against Git and what people made.
func (w *world) stands(ctx context.Context) error {
	list := &corev1.ConfigMapList{}
	if err := w.Client.List(ctx, list, client.InNamespace(w.Namespace)); err != nil {
		return err
	}
	live := map[string]corev1.ConfigMap{}
	for _, o := range list.Items {
		live[o.Name] = o
	}
	if err := w.untouched(live); err != nil || w.fault.open {
		return err
	}
	for name, value := range w.declared {
		if got := live[name].Data["KEY"]; got != value && w.brings(name) {
			return fmt.Errorf("%s is %q, Git says %q", name, got, value)
		}
	}
	for name := range w.dropped {
		if _, left := live[name]; left && w.takes(name) {
			return fmt.Errorf("%s was dropped and is left behind", name)
		}
	}
	return nil
}

// untouched: what a person made is there, as the object that they made.
func (w *world) untouched(live map[string]corev1.ConfigMap) error {
	for name, uid := range w.made {
		if live[name].UID != uid {
			return fmt.Errorf("%s was made by a person as %s, and is %q now", name, uid, live[name].UID)
		}
	}
	return nil
}

// brings says whether the stage brings an object to what Git says.
func (w *world) brings(name string) bool {
	switch w.stage {
	case api.StageObserve:
		return false
	case api.StageSelfHeal, api.StagePrune:
		return !w.blind || !w.byHand[name]
	case api.StageSync:
		return !w.byHand[name] && w.made[name] == ""
	}
	return true
}

// takes says whether the stage takes away what was dropped, unasked.
func (w *world) takes(name string) bool {
	return !w.fault.asks && w.stage == api.StagePrune && w.quarantine == 0 && w.budget == plenty && w.made[name] == "" && clock.unmoved
}
