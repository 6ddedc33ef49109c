// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/publish"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// TestUnsettledIsNoHurry: at Observe no object is settled, ever. Taken for
// objects whose baseline this run took, they made every application run twenty
// times a second.
func TestUnsettledIsNoHurry(t *testing.T) {
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "env"}
	p := &pass{
		known:  &application{memory: inventory.Memory{id: {ID: id, UID: "u1"}}},
		looked: looked{objects: []drift.Object{{ID: id}}},
		doing:  doing{settling: map[manifest.ID]bool{}},
	}
	if !p.unsettled()[id] {
		t.Error("it has no baseline from the step to Sync, and may not be written")
	}
	if len(p.doing.settling) > 0 {
		t.Error("no baseline was taken in this run, so that nothing calls for another at once")
	}
}

// TestIntentIsOnRecord: a first sync leaves its pages to the intents. Where
// writing these fails, the memory has them and the pages do not, and the next
// run may not take the one for the other.
func TestIntentIsOnRecord(t *testing.T) {
	d := newDouble()
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "env"}
	known := newApplication()
	known.memory, known.acting.unwritten = inventory.Memory{id: {ID: id}}, true
	p := &pass{
		Reconciler: &Reconciler{Pages: &publish.Pages{Client: d}}, known: known,
		app: &api.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}},
	}
	steps := []plan.Step{{ID: id, Verb: plan.Create}}
	d.dead = true
	if err := p.intend(t.Context(), steps); err == nil {
		t.Fatal("the pages could not be written")
	}
	d.dead = false
	if err := p.intend(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
	page, there := d.pages["web-0"].(*api.Inventory)
	if !there || len(page.Status.Objects) != 1 || page.Status.Objects[0].Origin != api.OriginApplied {
		t.Errorf("the object would be created without an intent on record: %+v", page)
	}
}
