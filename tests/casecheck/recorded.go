// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"slices"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

// recorded judges the objects of live.yaml themselves, as it is done where no
// dry run is allowed. Each is judged as expected or Unknown; and nothing may
// differ that the dry run does not show.
func (r *Runner) recorded(c casefile.Case, seen sight) Result {
	withDryRun := r.outcome(seen, seen.judge(r))
	seen = seen.withoutDryRun(c.Live)
	got := r.outcome(seen, seen.judge(r))
	problems := r.check(c, got, verdict.Rigor{DeclaredFields: true})
	return Result{Way: Recorded, Problems: append(problems, verdict.NoMoreThan(got, withDryRun)...)}
}

// withoutDryRun takes the recorded objects in place of those on the server,
// where they are in the version that Git declares.
func (s sight) withoutDryRun(recorded []manifest.Object) sight {
	objects := slices.Clone(s.objects)
	for i := range objects {
		o := &objects[i].observation
		if o.Live == nil || o.Failure != nil {
			continue
		}
		o.Restored, o.Precision = nil, api.PrecisionDeclaredFields
		for _, r := range recorded {
			if r.ID() == o.ID && r.GetAPIVersion() == o.Live.GetAPIVersion() {
				o.Live = r.Unstructured
			}
		}
	}
	s.objects = objects
	return s
}
