// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

// judge gives every object that was seen its verdict.
func (s sight) judge(r *Runner) []drift.Object {
	var objects []drift.Object
	for _, seen := range s.objects {
		objects = append(objects, r.judge(seen, s))
	}
	return objects
}

func (r *Runner) judge(seen seenObject, s sight) drift.Object {
	id := seen.observation.ID
	return drift.Judge(drift.Input{
		Desired: seen.desired.Object, Observation: seen.observation, Types: seen.types,
		Writers: r.writers, Mask: r.scope(seen.application, id),
		Baseline: s.memory[id].Baseline.Unpack(), Known: s.memory.Knows(id),
		Now: r.now, Unstable: seen.application.result.Unstable(id),
	})
}

// outcome writes judgements down as the product does, and in the form that
// they are compared in.
func (r *Runner) outcome(s sight, objects []drift.Object) verdict.Outcome {
	entries := report.Entries(report.Input{
		Stage: api.StageObserve, Objects: objects, Removed: s.removed, Strays: s.strays,
		Readers: consumers.Find(s.declared()), Writers: r.writers, Now: r.now,
	})
	out := verdict.Outcome{Key: r.key, Unknown: map[manifest.ID]string{}}
	judged := map[manifest.ID]drift.Object{}
	for _, o := range objects {
		judged[o.ID] = o
		if o.Verdict == api.VerdictUnknown {
			out.Unknown[o.ID] = o.Reason + ": " + o.Message
		}
	}
	for _, e := range entries {
		line := verdict.Line{DriftEntry: e, Listed: true}
		o := judged[line.ID()]
		line.Heal, line.Declared = heals(o, e), declares(o, e)
		line.Forms = s.forms(o, e)
		line.Indexed = s.indexed(line.ID(), e.Path)
		out.Lines = append(out.Lines, line)
	}
	for _, o := range objects {
		out.Lines = append(out.Lines, s.unlisted(o)...)
	}
	out.Text, out.Deleted = text(entries, objects), s.deleted()
	return out
}

// deleted asks the plan of the stage that prunes, with an approval of whatever
// can be approved.
func (s sight) deleted() []manifest.ID {
	in := plan.Input{Policy: plan.Policy{Stage: api.StagePrune, Approvals: map[string]bool{}}}
	in.Policy.Prune = plan.PrunePolicy{Max: intstr.FromString("100%"), Total: len(s.memory), Now: time.Now()}
	for _, e := range s.removed {
		in.Removed = append(in.Removed, plan.Removed{
			ID: e.ID, Version: e.Version, UID: e.UID, ResourceVersion: e.ResourceVersion, Origin: e.Origin, Since: in.Policy.Prune.Now,
		})
	}
	in.Policy.Approvals[plan.Make(in).Prune.Digest] = true
	var gone []manifest.ID
	for _, step := range plan.Make(in).Steps() {
		if step.Verb == plan.Delete {
			gone = append(gone, step.ID)
		}
	}
	return gone
}

// heals asks the plan of the stage that heals.
func heals(o drift.Object, e api.DriftEntry) bool {
	if e.Class == api.ClassMissing {
		return plan.ForMissing(o, api.StageSelfHeal).Refusal == ""
	}
	for _, j := range o.Judgements {
		if j.Pointer == e.Path {
			return j.Heal && healed(o, e.Path)
		}
	}
	return false
}

// declares says whether Git has something at the place of an entry.
func declares(o drift.Object, e api.DriftEntry) bool {
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool { return j.Pointer == e.Path && j.Declared })
}

// healed says whether the plan of the stage that heals has a step for a place.
// That another deployer must be stopped first is not what cases are about.
func healed(o drift.Object, pointer string) bool {
	p := plan.Make(plan.Input{Objects: []drift.Object{o}, Policy: plan.Policy{Stage: api.StageSelfHeal, Takeover: true}})
	a, planned := p.ByPlace()[plan.Key{ID: o.ID, Pointer: pointer}]
	return planned && a.Verb != plan.Leave && a.Refusal == ""
}

// forms of what is wanted at a path: in Git's words, and as the server would
// store them.
func (s sight) forms(o drift.Object, e api.DriftEntry) []any {
	var forms []any
	for _, seen := range s.objects {
		if seen.observation.ID != o.ID {
			continue
		}
		for _, j := range o.Judgements {
			if j.Pointer != e.Path {
				continue
			}
			for _, root := range []any{content(seen.desired.Unstructured), content(seen.observation.Restored)} {
				if v, ok := keyedpath.Get(root, j.Path); ok {
					forms = append(forms, v)
				}
			}
		}
	}
	return forms
}

// unlisted are the judgements that the report leaves out.
func (s sight) unlisted(o drift.Object) []verdict.Line {
	var lines []verdict.Line
	for _, j := range o.Judgements {
		if j.Class != api.ClassDefault {
			continue
		}
		lines = append(lines, verdict.Line{
			DriftEntry: api.DriftEntry{
				Object: api.ObjectReference{
					Group: o.ID.Group, Version: o.Version, Kind: o.ID.Kind, Namespace: o.ID.Namespace, Name: o.ID.Name,
				},
				Path: j.Pointer, Kind: j.Kind, Class: j.Class, Explanation: j.Explanation,
				Wanted: j.Wanted.Report(j.Live), Live: j.Live.Report(j.Wanted),
			},
			Indexed: s.indexed(o.ID, j.Pointer),
		})
	}
	return lines
}

func (s sight) indexed(id manifest.ID, pointer string) string {
	for _, seen := range s.objects {
		if seen.observation.ID == id {
			return verdict.Indexed(pointer, content(seen.observation.Live), content(seen.desired.Unstructured))
		}
	}
	return pointer
}

func content(o *unstructured.Unstructured) any {
	if o == nil {
		return nil
	}
	return o.Object
}

// text is everything of a report that leaves the process.
func text(entries []api.DriftEntry, objects []drift.Object) string {
	var b strings.Builder
	for _, page := range report.Pages(entries, "", "") {
		data, err := json.Marshal(page)
		if err != nil {
			data = []byte(err.Error())
		}
		b.Write(data)
	}
	for _, o := range objects {
		b.WriteString(o.Reason + " " + o.Message + " " + o.Health.Message + strings.Join(o.Findings, " "))
	}
	return b.String()
}
