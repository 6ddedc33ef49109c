// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// finish does what holds for every renderer.
func (j *job) finish(kind Kind, dir string, out output) (Result, error) {
	if limit := j.tree.Limits().Objects; len(out.objects) > limit {
		return Result{}, &tree.Error{Kind: tree.ErrTooLarge, Path: dir,
			Message: fmt.Sprintf("renders %d objects, more than the limit of %d: split it into several Applications", len(out.objects), limit)}
	}
	objects, err := j.substitute(out.objects)
	if err != nil {
		return Result{}, err
	}
	result := Result{
		Kind: kind, Notes: out.notes, Incomplete: slices.Clone(j.options.Cluster.Incomplete),
		namespace: j.options.Namespace, trace: out.trace, secrets: j.secrets,
	}
	result.Objects = result.setAside(objects)
	j.vault.explain(result.Unjudged)
	if len(result.Objects) == 0 {
		return Result{}, &emptyError{fmt.Errorf("%s renders no objects in %s%s: nothing is concluded from that; "+
			"correct spec.path, or delete the Application", dir, j.revision(), result.aside())}
	}
	set, err := manifest.NewSet(result.Objects)
	if err != nil {
		return Result{}, err
	}
	result.Objects = set.Objects()
	result.unstable = result.byWritten(out.unstable)
	result.tainted = result.byWritten(taintedFields(result.Objects, j.secrets))
	result.noteUnstable(dir)
	result.noteObjects()
	result.Inputs.Artifact = j.tree.Inputs()
	if j.values != nil {
		result.Inputs.Values = j.values.Inputs()
	}
	for i, note := range result.Notes {
		result.Notes[i] = hideSecrets(note, j.secrets)
	}
	return result, nil
}

func (r *Result) byWritten(fields map[manifest.ID][]string) map[manifest.ID][]string {
	written := make(map[manifest.ID][]string, len(fields))
	for id, paths := range fields {
		written[r.written(id)] = paths
	}
	return written
}

// noteUnstable reports what the chart makes up anew each time. If it is the
// set of objects itself, absence proves nothing.
func (r *Result) noteUnstable(dir string) {
	for _, id := range slices.SortedFunc(maps.Keys(r.unstable), manifest.ID.Compare) {
		paths := r.unstable[id]
		if slices.Contains(paths, "") {
			r.Incomplete = append(r.Incomplete,
				fmt.Sprintf("%s: two renders of the same revision differ: %s is not in both", dir, id))
			continue
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s: two renders of the same revision differ: %s %s", dir, id, strings.Join(paths, ", ")))
	}
}

// noteObjects gathers remarks on single objects. Hooks and Unjudged are not
// repeated here: they are listed by themselves.
func (r *Result) noteObjects() {
	for _, object := range r.Objects {
		for _, note := range object.Notes {
			r.Notes = append(r.Notes, object.Source.String()+": "+note)
		}
	}
	r.Notes = append(r.Notes, foreignMarks(r.Objects)...)
}

// aside says what an empty render consisted of.
func (r *Result) aside() string {
	var parts []string
	if n := len(r.Hooks); n > 0 {
		parts = append(parts, fmt.Sprintf("%d hooks are not run", n))
	}
	if n := len(r.Unjudged); n > 0 {
		parts = append(parts, fmt.Sprintf("%d objects cannot be compared", n))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
