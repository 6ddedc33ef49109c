// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

var morning = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

func tomb(name string) inventory.Entry {
	return inventory.Entry{
		ID: manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}, Version: "v1", UID: "uid-" + name, Origin: api.OriginApplied,
	}.Entomb(morning, "main@sha1:abc", "spec.path")
}

// TestTombstone: the first one stands, its quarantine counts from the step to
// Prune, and Git takes it away.
func TestTombstone(t *testing.T) {
	e := tomb("a").Entomb(morning.Add(time.Hour), "main@sha1:def", "")
	if e.Removed.Revision != "main@sha1:abc" || e.Removed.Beside != "spec.path" || !e.Removed.Since.Equal(morning) {
		t.Errorf("what went missing first tells why: %+v", e.Removed)
	}
	if below := e.Show(false, morning.Add(48*time.Hour), time.Hour); !below.Removed.Shown.IsZero() || !below.Removed.Until.IsZero() {
		t.Errorf("below Prune nothing is counted: %+v", below.Removed)
	}
	step := morning.Add(48 * time.Hour)
	shown := e.Show(true, step, time.Hour)
	if later := shown.Show(true, step.Add(time.Minute), 2*time.Hour); !later.Removed.Until.Equal(step.Add(2 * time.Hour)) {
		t.Errorf("a longer quarantine holds for what is in it: %+v", later.Removed)
	}
	if again := shown.Show(true, step.Add(time.Minute), time.Hour); again != shown {
		t.Error("nothing has changed, so that no page is to be written")
	}
	if fallen := shown.Show(false, step, time.Hour); !fallen.Removed.Shown.IsZero() {
		t.Error("after a fall the time begins anew")
	}
	if back := shown.Declared("path=1;"); back.Removed != nil || back.Inputs != "path=1;" {
		t.Errorf("Git declares it again: %+v", back)
	}
}

// TestSpent: what may have been sent counts, whatever became of who sent it.
func TestSpent(t *testing.T) {
	sent, shown := tomb("sent").Delete(morning), tomb("shown")
	memory := inventory.Memory{sent.ID: sent, shown.ID: shown}
	graves := inventory.Graves{}.Bury(tomb("gone").Delete(morning), morning)
	cases := map[string]struct {
		reason string
		now    time.Time
		want   int
	}{
		"at once":           {"one sent, one gone", morning, 2},
		"the clock is back": {"nothing is older than it is", morning.Add(-time.Hour), 2},
		"a day later":       {"a new day", morning.Add(inventory.Day), 0},
	}
	for name, tc := range cases {
		if got := inventory.Spent(memory, graves, tc.now); got != tc.want {
			t.Errorf("%s (%s): %d, want %d", name, tc.reason, got, tc.want)
		}
	}
	if by := (inventory.Graves{}).Bury(tomb("others"), morning); len(by) != 0 {
		t.Error("somebody else deleted it, which spends nothing of ours")
	}
	if old := graves.Keep(morning.Add(inventory.Remembered + time.Second)); len(old) != 0 {
		t.Errorf("nothing is remembered for ever: %v", old)
	}
}

// TestMarksOutliveAProcess: all that a stage remembers comes back from the pages.
func TestMarksOutliveAProcess(t *testing.T) {
	e := tomb("a").Show(true, morning, time.Hour).Delete(morning).Agree([]string{"b", "a", "b"})
	e.Since, e.Inputs, e.Restored = morning, "path=1;", true
	e.Reverted = string(inventory.PackPlaces([]inventory.Place{{Pointer: "/data/A", By: "bot", Times: []time.Time{morning}}}))
	graves := inventory.Graves{}.Bury(tomb("gone").Delete(morning), morning).Undo(tomb("gone").ID)
	memory := inventory.Memory{e.ID: e}
	page := []api.Inventory{{Status: memory.Page(0, 1, graves)}}
	got := inventory.Read(page)[e.ID]
	if diff := cmp.Diff(*e.Removed, *got.Removed); diff != "" {
		t.Errorf("tombstone (-want +got):\n%s", diff)
	}
	got.Removed = e.Removed
	if diff := cmp.Diff(e, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(graves, inventory.ReadGraves(page)); diff != "" {
		t.Errorf("graves (-want +got):\n%s", diff)
	}
}

// TestRecreatedIsAdopted: an object that somebody made anew under our eyes is
// not ours to delete unasked. Found by a killed controller, seed 2.
func TestRecreatedIsAdopted(t *testing.T) {
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	ours := inventory.Memory{id: {ID: id, Version: "v1", UID: "first", Origin: api.OriginApplied, Since: morning}}
	key := func(manifest.ID) string { return "" }
	judged := func(uid string) []drift.Object {
		return []drift.Object{{ID: id, Version: "v1", UID: uid, Verdict: api.VerdictInSync}}
	}
	if got := ours.Next(judged("first"), key, morning)[id]; got.Origin != api.OriginApplied {
		t.Errorf("the same object stays ours, got %s", got.Origin)
	}
	if got := ours.Next(judged("second"), key, morning)[id]; got.Origin != api.OriginAdopted || got.UID != "second" {
		t.Errorf("another one was made by somebody else, got %s %s", got.Origin, got.UID)
	}
}

// TestGravesLeaveRoom: a page with as many graves as are remembered, and with
// entries that carry all their marks, stays within its limit, and no grave is
// left out.
func TestGravesLeaveRoom(t *testing.T) {
	long := strings.Repeat("n", 63)
	const remembered = 400
	applied := map[string]string{}
	for i := range 30 {
		applied[fmt.Sprintf("/data/%s-%d", long, i)] = "0123456789abcdef"
	}
	m := inventory.Memory{}
	for i := range 60 {
		id := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: long, Name: fmt.Sprintf("%s-%d", long, i)}
		m[id] = inventory.Entry{
			ID: id, Version: "v1", UID: uid, Key: long, Baseline: inventory.Pack(applied),
			Marks: inventory.Marks{Inputs: long, Agreed: strings.Repeat("0123456789abcdef;", 40), Removed: &inventory.Tombstone{Revision: "main@sha1:" + long}},
		}
	}
	var graves inventory.Graves
	for i := range remembered {
		id := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: long, Name: fmt.Sprintf("%s-gone-%d", long, i)}
		graves = append(graves, inventory.Grave{ID: id, Version: "v1", UID: uid, At: morning, Revision: "main@sha1:" + long})
	}
	kept := 0
	for count, i := m.Count(), 0; i < count; i++ {
		page := m.Page(i, count, graves)
		kept += len(page.Pruned)
		text, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > pages.Limit {
			t.Errorf("page %d of %d has %d bytes, more than %d", i, count, len(text), pages.Limit)
		}
	}
	if kept != remembered {
		t.Errorf("the budget counts %d graves of %d", kept, remembered)
	}
}

const uid = "6a5a3b1e-0d0c-4b7e-9b3f-1c1c1c1c1c1c"
