// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
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
