// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// settle tells a change of the commit from an edit of live. Where the
// drift-controller found live equal to Git at a path, whatever wrote the live
// value, it is the commit that makes the difference: Git moves on. Without a
// verdict that holds now, the classes stay as they are.
func settle(in Input, entries []v1alpha1.DriftEntry) []v1alpha1.DriftEntry {
	c := in.Application.Status.Compared
	if c == nil || !report.IsCurrent(in.Application, in.Now) {
		return entries
	}
	judged := map[v1alpha1.ObjectReference]bool{}
	for _, page := range in.Inventory {
		for _, o := range page.Status.Objects {
			if o.Verdict == v1alpha1.VerdictInSync || o.Verdict == v1alpha1.VerdictDrifted {
				judged[unversioned(o.Object)] = true
			}
		}
	}
	known, complete := reported(in.Pages)
	out := make([]v1alpha1.DriftEntry, len(entries))
	for i, e := range entries {
		object := unversioned(e.Object)
		if complete && hasWriterClass(&e) && judged[object] && !overlaps(known[object], e.Path) {
			e.Class = v1alpha1.ClassPending
			e.Explanation = "live equals " + c.Revision + " here"
		}
		out[i] = e
	}
	return out
}

// hasWriterClass: the class blames a writer for a field that Git declares.
func hasWriterClass(e *v1alpha1.DriftEntry) bool {
	return e.Drift && e.Path != "" && e.Wanted != nil &&
		(e.Class == v1alpha1.ClassManual || e.Class == v1alpha1.ClassContested)
}

// reported lists the paths that differ by the last report. One that lost
// entries for want of room is not complete.
func reported(pages []v1alpha1.DriftReport) (paths map[v1alpha1.ObjectReference][]string, complete bool) {
	paths, complete = map[v1alpha1.ObjectReference][]string{}, true
	for _, page := range pages {
		complete = complete && page.Status.Truncated == 0
		for _, e := range page.Status.Entries {
			object := unversioned(e.Object)
			paths[object] = append(paths[object], e.Path)
		}
	}
	return paths, complete
}

func overlaps(paths []string, path string) bool {
	for _, p := range paths {
		if keyedpath.Within(p, path) || keyedpath.Within(path, p) {
			return true
		}
	}
	return false
}

// unversioned: one object is served under several versions.
func unversioned(o v1alpha1.ObjectReference) v1alpha1.ObjectReference {
	o.Version = ""
	return o
}
