// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func differs(pointer string, class api.Class, restored string, leaves ...string) drift.Judgement {
	return drift.Judgement{Class: class, Drift: true, Difference: compare.Difference{
		Pointer: pointer, Declared: true, Restored: restored, Leaves: leaves,
	}}
}

// TestSettle: what Git declares at the step to Sync is its baseline, so that a
// later commit is told from an edit that was there.
func TestSettle(t *testing.T) {
	before := inventory.Entry{UID: "u", Baseline: inventory.Pack(drift.Baseline{
		drift.PointerKey("/data/same"): "s", drift.PointerKey("/data/edited"): "old", drift.PointerKey("/data/pending"): "deployed",
	})}
	o := drift.Object{Verdict: api.VerdictDrifted, Judgements: []drift.Judgement{
		differs("/data/edited", api.ClassManual, "git"), differs("/data/pending", api.ClassPending, "new"),
		differs("/data/item", api.ClassManual, "whole", "/data/item/x"),
	}}
	after := before.Settle(o)
	want := drift.Baseline{
		drift.PointerKey("/data/same"): "s", drift.PointerKey("/data/edited"): "git",
		drift.PointerKey("/data/pending"): "deployed", drift.PointerKey("/data/item/x"): "-",
	}
	if diff := cmp.Diff(want, after.Baseline.Unpack()); diff != "" || !after.Settled {
		t.Errorf("baseline (-want +got):\n%s", diff)
	}
	o.Judgements = []drift.Judgement{differs("/data/edited", api.ClassManual, "later")}
	if after.Settle(o) != after {
		t.Error("it is taken once")
	}
	for _, verdict := range []api.Verdict{api.VerdictUnknown, api.VerdictMissing} {
		o.Verdict = verdict
		if before.Settle(o).Settled {
			t.Errorf("%s: what was not judged has no baseline to take", verdict)
		}
	}
}

func TestBacklog(t *testing.T) {
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	e := inventory.Entry{ID: id, UID: "u"}.Flag([]string{"/data/x", "/data/x", ""})
	if !e.Flagged("/data/x") || !e.Flagged("") || e.Flagged("/data/y") {
		t.Errorf("flagged: %v", e.Backlog)
	}
	page := api.Inventory{Status: inventory.Memory{id: e}.Page(0, 1, nil)}
	if again := inventory.Read([]api.Inventory{page}); !again[id].Flagged("/data/x") {
		t.Error("a restart forgets nothing")
	}
	if e.Flag(nil).Flagged("/data/x") {
		t.Error("what is gone is no backlog")
	}
}

// TestIntent: between the intent and the answer the object is neither unknown
// nor proven ours.
func TestIntent(t *testing.T) {
	e := inventory.Entry{Origin: api.OriginAdopted}.Intend()
	if !e.Intended() {
		t.Errorf("intended: %+v", e)
	}
	if made := e.Created("u", true); made.UID != "u" || made.Origin != api.OriginApplied || made.Intended() {
		t.Errorf("made by us: %+v", made)
	}
	id := manifest.ID{Kind: "ConfigMap", Name: "a"}
	crashed := inventory.Memory{id: e}.Next([]drift.Object{{ID: id, UID: "u", Verdict: api.VerdictInSync}}, func(manifest.ID) string { return "" }, time.Now())
	if crashed[id].UID != "u" || crashed[id].Origin != api.OriginAdopted {
		t.Errorf("a crash after the write leaves no proof that it was ours: %+v", crashed[id])
	}
	if found := e.Created("u", false); found.Origin != api.OriginAdopted {
		t.Errorf("somebody was faster: %+v", found)
	}
	if known := (inventory.Entry{UID: "u", Origin: api.OriginAdopted}).Intend(); known.Origin != api.OriginAdopted || known.Intended() {
		t.Errorf("what was there stays adopted: %+v", known)
	}
}
