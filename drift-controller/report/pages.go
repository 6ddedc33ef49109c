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
	total := 0
	for i, e := range page.Entries {
		page.Counts.Total++
		if e.Drift {
			page.Counts.Drift++
		}
		total += sizes[i]
	}
	page.Headline = headline(page.Entries)
	// A quarter of the limit is left for metadata, managed fields and quoting.
	for total > pages.Limit*3/4 || len(page.Entries) > listed {
		i := least(page.Entries)
		total -= sizes[i]
		page.Entries, sizes = slices.Delete(page.Entries, i, i+1), slices.Delete(sizes, i, i+1)
		page.Truncated++
	}
}

// least finds the last entry of the least weight.
func least(entries []api.DriftEntry) int {
	found := len(entries) - 1
	for i := len(entries) - 1; i >= 0; i-- {
		if weight(entries[i]) > weight(entries[found]) {
			found = i
		}
	}
	return found
}

// weight orders entries by what their reader has to see first; 0 is first.
func weight(e api.DriftEntry) int {
	order := []api.Class{
		api.ClassManual, api.ClassMissing, api.ClassUnowned, api.ClassContested, api.ClassUnknown,
		api.ClassRemoved, api.ClassPending, api.ClassStray,
	}
	i := slices.Index(order, e.Class)
	if i < 0 || (!e.Drift && e.Class != api.ClassUnknown && e.Class != api.ClassStray) {
		return len(order)
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
		Object: top.Object.Kind + "/" + top.Object.Name, Path: top.Path, Class: top.Class,
		Who: "unknown", Since: &since, Next: top.Next,
	}
	var names []string
	for _, m := range top.Managers {
		names = append(names, m.Name)
		if m.LastWrite != nil && m.LastWrite.Before(h.Since) {
			h.Since = m.LastWrite
		}
	}
	if len(names) > 0 {
		h.Who = strings.Join(names, ",")
	}
	return h
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
