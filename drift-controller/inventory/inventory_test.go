// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func id(name string) manifest.ID {
	return manifest.ID{Kind: "ConfigMap", Namespace: "n", Name: name}
}

func seen(name, uid string, verdict api.Verdict, agreed drift.Baseline) drift.Object {
	return drift.Object{
		ID: id(name), Version: "v1", UID: uid, ResourceVersion: "7", Verdict: verdict,
		Precision: api.PrecisionRestored, Agreed: agreed,
	}
}

func key(id manifest.ID) string { return "key of " + id.Name }

func TestNext(t *testing.T) {
	entry := func(change func(*inventory.Entry)) inventory.Entry {
		e := inventory.Entry{
			ID: id("a"), Version: "v1", UID: "u1", ResourceVersion: "7", Verdict: api.VerdictInSync, Key: "key of a",
			Precision: api.PrecisionRestored, Origin: api.OriginAdopted, Since: now, Baseline: inventory.Pack(drift.Baseline{"p": "1"}),
		}
		change(&e)
		return e
	}
	same := func(*inventory.Entry) {}
	cases := map[string]struct {
		reason string
		before inventory.Memory
		object drift.Object
		want   inventory.Entry
	}{
		"first seen": {"what was there before us is adopted", inventory.Memory{}, seen("a", "u1", api.VerdictInSync, drift.Baseline{"p": "1"}), entry(same)},
		"seen again": {
			"when and how it came in stays", inventory.Memory{id("a"): entry(func(e *inventory.Entry) { e.Since, e.Origin = now.Add(-time.Hour), api.OriginApplied })},
			seen("a", "u1", api.VerdictDrifted, drift.Baseline{"p": "2"}),
			entry(func(e *inventory.Entry) {
				e.Since, e.Origin, e.Verdict, e.Baseline = now.Add(-time.Hour), api.OriginApplied, api.VerdictDrifted, inventory.Pack(drift.Baseline{"p": "2"})
			}),
		},
		"gone": {
			"what was there is remembered by its UID: it is missing, not new", inventory.Memory{id("a"): entry(same)},
			drift.Object{ID: id("a"), Version: "v1", Verdict: api.VerdictMissing},
			entry(func(e *inventory.Entry) { e.Verdict, e.ResourceVersion, e.Precision = api.VerdictMissing, "", "" }),
		},
		"unknown": {
			"what could not be read changes neither UID nor baseline", inventory.Memory{id("a"): entry(same)},
			drift.Object{ID: id("a"), Version: "v1", Verdict: api.VerdictUnknown},
			entry(func(e *inventory.Entry) { e.Verdict, e.ResourceVersion, e.Precision = api.VerdictUnknown, "", "" }),
		},
		"made anew": {
			"another UID is another object", inventory.Memory{id("a"): entry(same)}, seen("a", "u2", api.VerdictInSync, drift.Baseline{"p": "1"}),
			entry(func(e *inventory.Entry) { e.UID = "u2" }),
		},
		"nothing agreed": {
			"to have agreed on nothing is not to remember nothing", inventory.Memory{id("a"): entry(same)}, seen("a", "u1", api.VerdictInSync, drift.Baseline{}),
			entry(func(e *inventory.Entry) { e.Baseline = inventory.Pack(drift.Baseline{}) }),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			other := inventory.Entry{ID: id("other"), UID: "x"}
			tc.before[id("other")] = other
			next := tc.before.Next([]drift.Object{tc.object}, key, now)
			if diff := cmp.Diff(tc.want, next[id("a")]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if next[id("other")] != other {
				t.Error("an object that was not judged left the memory: that needs proof")
			}
			if _, changed := tc.before[id("a")]; changed != (name != "first seen") {
				t.Error("the memory of before was changed")
			}
		})
	}
}

// TestRemovedAndForget: an entry leaves only on proof.
func TestRemovedAndForget(t *testing.T) {
	memory := inventory.Memory{}.Next([]drift.Object{
		seen("c", "u3", api.VerdictInSync, nil), seen("a", "u1", api.VerdictInSync, nil), seen("b", "", api.VerdictMissing, nil),
	}, key, now)
	var names []string
	for _, e := range memory.Removed(func(other manifest.ID) bool { return other == id("b") }) {
		names = append(names, e.ID.Name)
	}
	if diff := cmp.Diff([]string{"a", "c"}, names); diff != "" {
		t.Errorf("declared no more, in order (-want +got):\n%s", diff)
	}
	if !memory.Knows(id("a")) || memory.Knows(id("b")) || memory.Knows(id("z")) {
		t.Error("known is what was seen live")
	}
	after := memory.Forget(id("a"), id("z"))
	if after.Knows(id("a")) || !after.Knows(id("c")) || !memory.Knows(id("a")) {
		t.Error("only what is proven to be gone leaves, and only from the next memory")
	}
}

// TestPagesReadBack: what a restart reads is what was written, through JSON.
func TestPagesReadBack(t *testing.T) {
	objects := make([]drift.Object, 0, 300)
	for i := range cap(objects) {
		agreed := drift.Baseline{}
		for j := range i % 7 {
			agreed[drift.PointerKey(fmt.Sprint(j))] = "0123456789abcdef"
		}
		objects = append(objects, seen(fmt.Sprintf("c-%d", i), fmt.Sprintf("u-%d", i), api.VerdictInSync, agreed))
	}
	want := inventory.Memory{}.Next(objects, key, now)
	var list []api.Inventory
	var total int32
	for i, page := range want.Pages() {
		total += page.Count
		if int(page.Count) != len(page.Objects) {
			t.Errorf("page %d counts %d of %d", i, page.Count, len(page.Objects))
		}
		text, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		var read api.Inventory
		if err := json.Unmarshal(text, &read.Status); err != nil {
			t.Fatal(err)
		}
		list = append(list, read)
	}
	if total != 300 || len(list) != want.Count() {
		t.Errorf("%d objects on %d pages, want 300 on %d", total, len(list), want.Count())
	}
	got := inventory.Read(list)
	for id, entry := range want {
		back := got[id]
		if !back.Since.Equal(entry.Since) {
			t.Fatalf("%s: since %s, want %s", id, back.Since, entry.Since)
		}
		// The page cannot tell "nothing agreed" from "nothing remembered": a
		// map without entries is left out. No path can be read from either.
		back.Since = entry.Since
		if back.Baseline == "" && len(entry.Baseline.Unpack()) == 0 {
			back.Baseline = entry.Baseline
		}
		if diff := cmp.Diff(entry, back); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", id, diff)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
}

// TestOneChangeRewritesOnePage: cost follows change (promise 8).
func TestOneChangeRewritesOnePage(t *testing.T) {
	var objects []drift.Object
	for i := range 500 {
		objects = append(objects, seen(fmt.Sprintf("c-%d", i), "u", api.VerdictInSync, drift.Baseline{"p": "1"}))
	}
	before := inventory.Memory{}.Next(objects, key, now)
	after := before.Next([]drift.Object{seen("c-77", "u", api.VerdictDrifted, drift.Baseline{"p": "1"})}, key, now.Add(time.Minute))
	changed := 0
	for i, page := range after.Pages() {
		if !cmp.Equal(page, before.Pages()[i]) {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d pages changed, want 1", changed)
	}
}

// TestPagesStaySmall: objects with many declared paths spread further.
func TestPagesStaySmall(t *testing.T) {
	for _, paths := range []int{10, 60, 400} {
		agreed := drift.Baseline{}
		for j := range paths {
			agreed[drift.PointerKey(fmt.Sprint(j))] = "0123456789abcdef"
		}
		var objects []drift.Object
		for i := range 300 {
			objects = append(objects, seen(fmt.Sprintf("a-name-of-an-ordinary-length-%d", i), "2a2c0c1e-0000-4000-8000-000000000000", api.VerdictInSync, agreed))
		}
		for i, page := range (inventory.Memory{}).Next(objects, key, now).Pages() {
			text, err := json.Marshal(page)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > pages.Limit {
				t.Errorf("%d paths an object: page %d has %d bytes, limit %d", paths, i, len(text), pages.Limit)
			}
		}
	}
}

// TestHugeObjects: no number of fields makes a page outgrow its limit, what is
// not kept is said, and the entries themselves all stay.
func TestHugeObjects(t *testing.T) {
	cases := map[string]struct {
		reason         string
		objects, paths int
		unkept         bool
	}{
		"ordinary":     {"nothing is given up", 50, 60, false},
		"large":        {"a page has room for one", 1, 6000, false},
		"huge":         {"one object is more than a page", 1, 9000, true},
		"the largest":  {"a ConfigMap of 1 MiB with short keys", 1, 90000, true},
		"huge, a few":  {"each is more than a page", 5, 9000, true},
		"large, a lot": {"pages are added before anything is given up", 40, 2000, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			agreed := drift.Baseline{}
			for j := range tc.paths {
				agreed[drift.PointerKey(fmt.Sprint(j))] = "0123456789abcdef"
			}
			var objects []drift.Object
			for i := range tc.objects {
				objects = append(objects, seen(fmt.Sprintf("huge-%d", i), "2a2c0c1e-0000-4000-8000-000000000000", api.VerdictInSync, agreed))
			}
			memory := (inventory.Memory{}).Next(objects, key, now)
			kept, without := 0, 0
			for i, page := range memory.Pages() {
				text, err := json.Marshal(page)
				if err != nil {
					t.Fatal(err)
				}
				if len(text) > pages.Limit {
					t.Errorf("%s: page %d has %d bytes, limit %d", tc.reason, i, len(text), pages.Limit)
				}
				for _, e := range page.Objects {
					kept++
					if len(e.Applied) == 0 {
						without++
					}
				}
			}
			notes := memory.Unkept()
			if kept != tc.objects || without != len(notes) || (len(notes) > 0) != tc.unkept {
				t.Errorf("%s: %d of %d entries, %d without a baseline, said: %q", tc.reason, kept, tc.objects, without, notes)
			}
		})
	}
}

func TestPack(t *testing.T) {
	cases := map[string]struct {
		reason   string
		baseline drift.Baseline
	}{
		"nil":       {"nothing is remembered", nil},
		"empty":     {"nothing was agreed on, which is remembered", drift.Baseline{}},
		"one":       {"one path", drift.Baseline{"0123456789": "0123456789abcdef"}},
		"never":     {"a path that never agreed", drift.Baseline{"0123456789": "-", "a": "b"}},
		"no digest": {"an empty digest is one", drift.Baseline{"a": ""}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			packed := inventory.Pack(tc.baseline)
			if diff := cmp.Diff(tc.baseline, packed.Unpack()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if packed != inventory.Pack(packed.Unpack()) {
				t.Error("packed again, it is another text")
			}
		})
	}
}
