// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// remember makes the memory that the last run would have left: what the
// inventory records, with a baseline of what Git rendered before where we were
// the ones who applied it.
func (r *Runner) remember(ctx context.Context, c casefile.Case, s sight) (inventory.Memory, error) {
	memory := inventory.Memory{}
	for _, references := range c.Recorded {
		for _, reference := range references {
			memory[reference.ID()] = r.entry(c, reference)
		}
	}
	for _, object := range c.Previous {
		baseline, uid, err := r.baseline(ctx, object, s.around)
		if err != nil {
			return nil, fmt.Errorf("previous.yaml: %w", err)
		}
		if baseline == nil {
			continue
		}
		entry := memory[object.ID()]
		entry.ID, entry.Version = object.ID(), object.GroupVersionKind().Version
		entry.UID, entry.Baseline = uid, inventory.Pack(baseline)
		memory[object.ID()] = entry
	}
	return memory, nil
}

func (r *Runner) entry(c casefile.Case, reference casefile.Reference) inventory.Entry {
	e := inventory.Entry{ID: reference.ID(), Version: reference.GVK().Version, Since: r.now}
	for _, o := range c.Live {
		if o.ID() == e.ID {
			e.UID = string(o.GetUID())
		}
	}
	if e.UID == "" {
		e.UID = "recorded, and gone since"
	}
	return e
}

// baseline is what the run after we applied an earlier manifest agreed on: live
// was the restored form of it then. Only where live names our field manager
// were we the ones who applied it.
func (r *Runner) baseline(ctx context.Context, object manifest.Object, around observe.Surroundings) (drift.Baseline, string, error) {
	o := r.cluster.Observe(ctx, object, around)
	if o.Failure != nil || o.Live == nil || o.Restored == nil || !appliedByUs(o.Live.GetManagedFields()) {
		return nil, "", nil
	}
	types, _, err := r.cluster.Types(ctx, object.GroupVersionKind().GroupVersion())
	if err != nil {
		return nil, "", err
	}
	uid := string(o.Live.GetUID())
	o.Live, o.Precision = o.Restored, api.PrecisionRestored
	then := drift.Judge(drift.Input{
		Desired: object, Observation: o, Types: types, Writers: r.writers, Mask: r.scope(application{}, o.ID), Now: r.now,
	})
	return then.Agreed, uid, nil
}

// removed are recorded objects that are live and that no application declares.
// One that another application declares now was handed over.
func (r *Runner) removed(ctx context.Context, s sight) ([]inventory.Entry, error) {
	declared := func(id manifest.ID) bool {
		return slices.ContainsFunc(s.applications, func(a application) bool { return a.set.Declares(id) })
	}
	var live []inventory.Entry
	for _, entry := range s.memory.Removed(declared) {
		there, err := r.stage.Exists(ctx, entry.ID, entry.Version)
		if err != nil {
			return nil, err
		}
		if there {
			live = append(live, entry)
		}
	}
	return live, nil
}

// appliedByUs: only then was the earlier render ours to remember.
func appliedByUs(entries []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == contract.DriftFieldManager
	})
}
