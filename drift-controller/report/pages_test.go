// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
)

func entry(name, path string, class api.Class, value int) api.DriftEntry {
	v := &api.Value{JSON: strings.Repeat("<", value)}
	return api.DriftEntry{
		Object: reference("ConfigMap", name), Path: path, Kind: api.Changed, Class: class, FirstSeen: today, Wanted: v, Live: v,
		Drift: class != api.ClassController && class != api.ClassUnknown && class != api.ClassStray, Next: "next of " + string(class),
	}
}

func size(t *testing.T, page api.DriftReportStatus) int {
	t.Helper()
	text, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// TestPagesKeepTheirLimit: whatever the entries, no page grows past its limit;
// what does not fit is counted, and drift is the last to go.
func TestPagesKeepTheirLimit(t *testing.T) {
	long := make([]api.DriftEntry, 0, 200)
	one := make([]api.DriftEntry, 0, 2000)
	small := make([]api.DriftEntry, 0, 5000)
	for i := range cap(one) {
		class := api.ClassController
		if i%10 == 0 {
			class = api.ClassManual
		}
		one = append(one, entry("one", fmt.Sprintf("/data/%04d", i), class, 10))
	}
	for i := range cap(long) {
		long = append(long, entry(fmt.Sprint("c-", i), "/data/x", api.ClassManual, 4096))
	}
	for i := range cap(small) {
		small = append(small, api.DriftEntry{Object: reference("C", fmt.Sprint(i%3)), Path: fmt.Sprint(i), Class: api.ClassStray, FirstSeen: today})
	}
	cases := map[string]struct {
		reason    string
		entries   []api.DriftEntry
		truncated bool
	}{
		"none":            {"a report without differences is a page, too", nil, false},
		"long values":     {"long values take more pages, and none is lost", long, false},
		"one object":      {"an object's entries stand on one page, and not all fit", one, true},
		"many small ones": {"a list has at most a thousand items", small, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var total, drifting, shown, truncated int32
			for i, page := range report.Pages(tc.entries, "main@sha1:1", "sha256:1") {
				if n := size(t, page); n > pages.Limit || len(page.Entries) > 1000 {
					t.Errorf("%s: page %d has %d bytes and %d entries", tc.reason, i, n, len(page.Entries))
				}
				if page.Revision != "main@sha1:1" || page.Digest != "sha256:1" {
					t.Errorf("page %d is about %s %s", i, page.Revision, page.Digest)
				}
				total, drifting = total+page.Counts.Total, drifting+page.Counts.Drift
				shown, truncated = shown+int32(len(page.Entries)), truncated+page.Truncated
			}
			if int(total) != len(tc.entries) || shown+truncated != total || (truncated > 0) != tc.truncated {
				t.Errorf("%s: of %d entries %d are counted, %d shown, %d truncated", tc.reason, len(tc.entries), total, shown, truncated)
			}
		})
	}
	for _, page := range report.Pages(one, "", "") {
		var shown int32
		for _, e := range page.Entries {
			if e.Drift {
				shown++
			}
		}
		if shown != page.Counts.Drift {
			t.Errorf("of %d drifting entries %d are shown, and explained ones were kept", page.Counts.Drift, shown)
		}
	}
}

// TestHostileEntries: whatever a cluster holds, a page is below its limit, says
// how much it leaves out, and is made in no time: fifty thousand keys of one
// object once took a minute.
func TestHostileEntries(t *testing.T) {
	huge := entry("huge", "/data/"+strings.Repeat("k", 1<<20), api.ClassManual, 10)
	escaped := make([]api.DriftEntry, 0, 100)
	for i := range cap(escaped) {
		escaped = append(escaped, entry("x", fmt.Sprintf("/data/%d", i), api.ClassManual, 4096)) // each sign becomes six
	}
	keys := make([]api.DriftEntry, 0, 50_000)
	for i := range cap(keys) {
		keys = append(keys, entry("one", fmt.Sprintf("/data/%05d", i), api.ClassManual, 1))
	}
	objects := make([]api.DriftEntry, 0, 5_000)
	for i := range cap(objects) {
		e := entry(fmt.Sprint("cm-", i), "/data/x", api.ClassManual, 0)
		e.Wanted, e.Live = &api.Value{JSON: strings.Repeat("v", 4096)}, &api.Value{JSON: strings.Repeat("w", 4096)}
		objects = append(objects, e)
	}
	cases := map[string]struct {
		reason  string
		entries []api.DriftEntry
		lost    bool
	}{
		"a path like a book":   {"it takes no room from others", []api.DriftEntry{huge, entry("huge", "/data/a", api.ClassPending, 10)}, true},
		"escaped values":       {"what JSON makes of a value counts", escaped, true},
		"an object like a map": {"one object's entries stand on one page", keys, true},
		"5,000 objects":        {"all drifted, each with the longest values: all are shown", objects, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var total, truncated, shown int32
			for i, page := range report.Pages(tc.entries, "main@sha1:1", "sha256:1") {
				if n := size(t, page); n > pages.Limit*3/4+8<<10 {
					t.Errorf("%s: page %d has %d bytes", tc.reason, i, n)
				}
				total, truncated, shown = total+page.Counts.Total, truncated+page.Truncated, shown+int32(len(page.Entries))
			}
			if int(total) != len(tc.entries) || shown+truncated != total || (truncated > 0) != tc.lost || shown == 0 {
				t.Errorf("%s: %d entries, %d counted, %d shown, %d truncated", tc.reason, len(tc.entries), total, shown, truncated)
			}
		})
	}
}

// TestOneEntryRewritesOnePage: cost follows change (promise 8).
func TestOneEntryRewritesOnePage(t *testing.T) {
	var entries []api.DriftEntry
	for i := range 700 {
		entries = append(entries, entry(fmt.Sprint("c-", i), "/data/x", api.ClassManual, 10))
	}
	before := report.Pages(entries, "r", "d")
	entries[77].Class = api.ClassPending
	changed := 0
	for i, page := range report.Pages(entries, "r", "d") {
		if !cmp.Equal(page, before[i]) {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d of %d pages changed, want 1", changed, len(before))
	}
}

func TestHeadline(t *testing.T) {
	earlier, later := metav1.NewTime(today.Add(-time.Hour)), metav1.NewTime(today.Add(time.Hour))
	written := func(e api.DriftEntry, at ...*metav1.Time) api.DriftEntry {
		for i, time := range at {
			e.Managers = append(e.Managers, api.FieldManager{Name: fmt.Sprint("m", i), LastWrite: time})
		}
		return e
	}
	line := func(path string, class api.Class, who string, since metav1.Time) *api.Headline {
		return &api.Headline{Object: "ConfigMap/a", Path: path, Class: class, Who: who, Since: &since, Next: "next of " + string(class)}
	}
	hidden := entry("a", "/ignored", api.ClassManual, 1)
	hidden.Drift = false
	cases := map[string]struct {
		reason  string
		entries []api.DriftEntry
		want    *api.Headline
	}{
		"none":              {"nothing to say", nil, nil},
		"by hand first":     {"a hand edit is what a person has to see", []api.DriftEntry{entry("a", "/1", api.ClassPending, 1), entry("a", "/2", api.ClassManual, 1), entry("a", "/3", api.ClassMissing, 1)}, line("/2", api.ClassManual, "unknown", today)},
		"the first of them": {"of equals the first", []api.DriftEntry{entry("a", "/1", api.ClassManual, 1), entry("a", "/2", api.ClassManual, 1)}, line("/1", api.ClassManual, "unknown", today)},
		"unknown":           {"it does not count as drift, and matters more than what waits for sync", []api.DriftEntry{entry("a", "/1", api.ClassPending, 1), entry("a", "/2", api.ClassUnknown, 1), entry("a", "/3", api.ClassController, 1)}, line("/2", api.ClassUnknown, "unknown", today)},
		"explained last":    {"what is explained comes after a stray", []api.DriftEntry{entry("a", "/1", api.ClassController, 1), entry("a", "/2", api.ClassStray, 1)}, line("/2", api.ClassStray, "unknown", today)},
		"ignored":           {"what a rule hides is no headline", []api.DriftEntry{hidden, entry("a", "/2", api.ClassPending, 1)}, line("/2", api.ClassPending, "unknown", today)},
		"who and since": {
			"its writers, and the first of their writes if that was before we looked", []api.DriftEntry{written(entry("a", "/1", api.ClassManual, 1), &later, nil, &earlier)},
			line("/1", api.ClassManual, "m0,m1,m2", earlier),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, report.Pages(tc.entries, "", "")[0].Headline); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPagesLeaveTheEntries: the same entries are counted and remembered after
// the pages were written.
func TestPagesLeaveTheEntries(t *testing.T) {
	var entries []api.DriftEntry
	for i := range 2000 {
		entries = append(entries, entry("one", fmt.Sprintf("/data/%04d", i), api.ClassManual, 200))
	}
	report.Pages(entries, "", "")
	for i, e := range entries {
		if e.Path != fmt.Sprintf("/data/%04d", i) {
			t.Fatalf("entry %d is now %q", i, e.Path)
		}
	}
}

func TestSummary(t *testing.T) {
	object := func(v api.Verdict, p api.Precision) drift.Object { return drift.Object{Verdict: v, Precision: p} }
	in := input(
		object(api.VerdictInSync, api.PrecisionRestored), object(api.VerdictInSync, api.PrecisionInPlace), object(api.VerdictDrifted, api.PrecisionRestored),
		object(api.VerdictMissing, ""), object(api.VerdictUnknown, api.PrecisionDeclaredFields),
	)
	in.Strays, in.Removed = make([]live.Stray, 2), make([]inventory.Entry, 1)
	old := entry("a", "/1", api.ClassManual, 1)
	old.FirstSeen = wrote
	older := entry("a", "/2", api.ClassController, 1)
	older.FirstSeen = metav1.NewTime(wrote.Add(-time.Hour))
	got := report.Summary(in, []api.DriftEntry{entry("a", "/0", api.ClassManual, 1), old, older})
	want := api.Summary{
		Objects: 5, InSync: 2, Drifted: 1, Missing: 1, Unknown: 1, Strays: 2, Removed: 1,
		ByClass:     map[api.Class]int32{api.ClassManual: 2, api.ClassController: 1},
		Precision:   map[api.Precision]int32{api.PrecisionRestored: 2, api.PrecisionInPlace: 1, api.PrecisionDeclaredFields: 1},
		OldestDrift: &wrote, // what is explained has no age
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
