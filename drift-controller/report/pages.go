// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

// perPage is how many entries a page is planned for; few entries have values
// near their limit.
const perPage = 64

// listed is how many entries the schema of a page takes.
const listed = 1000

// Pages spreads entries over page statuses, by page number. A page that would
// grow past its limit loses its last explained entries first and counts them.
func Pages(entries []api.DriftEntry, revision, digest string) []api.DriftReportStatus {
	lengths, total := make([]int, len(entries)), 0
	for i, e := range entries {
		lengths[i] = length(e)
		total += lengths[i]
	}
	// Long values take more pages, so that nothing is lost that has room.
	count := max(pages.Count(len(entries), perPage), pages.Count(total, pages.Limit/3))
	out, sizes := make([]api.DriftReportStatus, count), make([][]int, count)
	for i, e := range entries {
		n := pages.Of(idOf(e.Object), count)
		out[n].Entries, sizes[n] = append(out[n].Entries, e), append(sizes[n], lengths[i])
	}
	for i := range out {
		out[i].Revision, out[i].Digest = revision, digest
		finish(&out[i], sizes[i])
	}
	return out
}

func length(e api.DriftEntry) int {
	text, err := json.Marshal(e)
	if err != nil {
		return 0 // an API type always encodes
	}
	return len(text)
}

func finish(page *api.DriftReportStatus, sizes []int) {
	for _, e := range page.Entries {
		page.Counts.Total++
		if e.Drift {
			page.Counts.Drift++
		}
	}
	page.Headline = headline(page.Entries)
	fits := fitting(page.Entries, sizes)
	page.Truncated = int32(len(page.Entries) - len(fits)) //nolint:gosec // far fewer entries than 2^31
	if page.Truncated == 0 {
		return
	}
	kept := make([]api.DriftEntry, 0, len(fits))
	for _, i := range fits {
		kept = append(kept, page.Entries[i])
	}
	page.Entries = kept
}

// fitting picks the entries that a page has room for, what its reader has to
// see first, and gives them in their own order. One that is too long by itself
// takes no room from others.
func fitting(entries []api.DriftEntry, sizes []int) []int {
	// A quarter of the limit is left for metadata, managed fields and quoting.
	const room = pages.Limit * 3 / 4
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight(entries[a]) - weight(entries[b]) })
	var fits []int
	total := 0
	for _, i := range order {
		if len(fits) < listed && total+sizes[i] <= room {
			fits, total = append(fits, i), total+sizes[i]
		}
	}
	slices.Sort(fits)
	return fits
}

// first is what a reader has to see first.
var first = []api.Class{
	api.ClassManual, api.ClassMissing, api.ClassUnowned, api.ClassContested, api.ClassUnknown,
	api.ClassRemoved, api.ClassPending, api.ClassStray,
}

// weight orders entries by what their reader has to see first; 0 is first.
func weight(e api.DriftEntry) int {
	i := slices.Index(first, e.Class)
	if i < 0 || (!e.Drift && e.Class != api.ClassUnknown && e.Class != api.ClassStray) {
		return len(first)
	}
	return i
}

func headline(entries []api.DriftEntry) *api.Headline {
	if len(entries) == 0 {
		return nil
	}
	top := slices.MinFunc(entries, func(a, b api.DriftEntry) int { return weight(a) - weight(b) })
	since := top.FirstSeen
	h := &api.Headline{
		Object: top.Object.Kind + "/" + top.Object.Name, Path: line(top.Path), Class: top.Class,
		Who: "unknown", Since: &since, Next: line(top.Next),
	}
	var names []string
	for _, m := range top.Managers {
		names = append(names, m.Name)
		if m.LastWrite != nil && m.LastWrite.Before(h.Since) {
			h.Since = m.LastWrite
		}
	}
	if len(names) > 0 {
		h.Who = line(strings.Join(names, ","))
	}
	return h
}

// line cuts what a headline says: the keys of free maps, and so paths, can be
// as long as a whole object.
func line(text string) string {
	const longest = 512
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest-len("…")], "") + "…"
}

// Summary counts objects by verdict and entries by class.
func Summary(in Input, entries []api.DriftEntry) api.Summary {
	s := api.Summary{
		Objects: int32(len(in.Objects)), Strays: int32(len(in.Strays)), Removed: int32(len(in.Removed)), //nolint:gosec // counts of API objects
		ByClass: map[api.Class]int32{}, Precision: map[api.Precision]int32{},
	}
	for _, o := range in.Objects {
		count(&s, o)
	}
	for _, e := range entries {
		s.ByClass[e.Class]++
		if e.Drift && e.Backlog {
			s.Backlog++
		}
		if e.Drift && (s.OldestDrift == nil || e.FirstSeen.Before(s.OldestDrift)) {
			first := e.FirstSeen
			s.OldestDrift = &first
		}
	}
	return s
}

func count(s *api.Summary, o drift.Object) {
	switch o.Verdict {
	case api.VerdictInSync:
		s.InSync++
	case api.VerdictDrifted:
		s.Drifted++
	case api.VerdictMissing:
		s.Missing++
	case api.VerdictUnknown:
		s.Unknown++
	}
	if o.Precision != "" {
		s.Precision[o.Precision]++
	}
}
