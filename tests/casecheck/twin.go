// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/replay"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

// editor is the field manager of the hand that makes a twin.
const editor = "kubectl-edit"

// twin changes one declared value of the live state by hand, or adds a label
// where the server lets none be changed, and looks again: a rule that explains
// too much would let the edit pass. It is caught as
// Manual with the dry run, also by a run that remembers the one before, and
// without the dry run at least Unknown.
func (r *Runner) twin(ctx context.Context, c casefile.Case, before sight) (Result, error) {
	result := Result{Way: Twin}
	i, pointer, err := r.edit(ctx, c, before)
	if err != nil {
		return result, err
	}
	if pointer == "" {
		result.Note = "no twin: nothing is live that could be judged with a dry run"
		return result, nil
	}
	result.Note = before.objects[i].observation.ID.String() + " " + pointer
	memory := r.judge(before.objects[i], before).Agreed
	after, err := r.see(ctx, before.objects[i].application, before.objects[i].desired, before.around)
	if err != nil {
		return result, err
	}
	for name, baseline := range map[string]drift.Baseline{"at first sight": nil, "remembered": memory} {
		if judged := r.judgeEdited(after, baseline); !caught(judged, after, pointer) {
			result.Problems = append(result.Problems, uncaught(name, judged, pointer))
		}
	}
	after.observation.Restored, after.observation.Precision = nil, api.PrecisionDeclaredFields
	blind := r.judgeEdited(after, nil)
	if blind.Verdict != api.VerdictUnknown && !caught(blind, after, pointer) {
		result.Problems = append(result.Problems, uncaught("without a dry run", blind, pointer))
	}
	return result, nil
}

func (r *Runner) judgeEdited(seen seenObject, baseline drift.Baseline) drift.Object {
	return drift.Judge(drift.Input{
		Desired: seen.desired.Object, Observation: seen.observation, Types: seen.types,
		Writers: r.writers, Mask: r.scope(seen.application, seen.observation.ID),
		Baseline: baseline, Known: baseline != nil, Now: r.now,
		Unstable: seen.application.result.Unstable(seen.observation.ID),
	})
}

// caught: the edit is drift of class Manual at its place, by the editor. The
// server books nobody on an object whose field management was wiped.
func caught(o drift.Object, after seenObject, pointer string) bool {
	booked := len(after.observation.Live.GetManagedFields()) > 0
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool {
		named := slices.ContainsFunc(j.Owners, func(w drift.Owner) bool { return w.Name == editor })
		return j.Drift && j.Class == api.ClassManual && keyedpath.Within(pointer, j.Pointer) && named == booked
	})
}

func uncaught(how string, o drift.Object, pointer string) verdict.Problem {
	var found []string
	for _, j := range o.Judgements {
		found = append(found, fmt.Sprintf("%s %s (%s)", j.Class, j.Pointer, j.Explanation))
	}
	return verdict.Problem{
		Got:  fmt.Sprintf("%s, %s: %s %s [%s]", o.ID, how, o.Verdict, o.Message, strings.Join(found, "; ")),
		Want: fmt.Sprintf("Manual %s by %s", pointer, editor),
	}
}

// edit makes the first change that the server accepts, and gives the object
// and the keyed path.
func (r *Runner) edit(ctx context.Context, c casefile.Case, s sight) (int, string, error) {
	for i, seen := range s.objects {
		o := seen.observation
		if o.Live == nil || o.Failure != nil || o.Restored == nil {
			continue
		}
		candidates, err := r.candidates(c, s, seen)
		if err != nil {
			return 0, "", err
		}
		for _, candidate := range candidates {
			changed, err := r.stage.Edit(ctx, o.Live, candidate.edit, editor)
			if err != nil || changed {
				return i, candidate.pointer, err
			}
		}
	}
	return r.label(ctx, s)
}

// label adds a label by hand to the first object that takes one, and of whose
// writers the server keeps books.
func (r *Runner) label(ctx context.Context, s sight) (int, string, error) {
	const name = "twin"
	for i, seen := range s.objects {
		o := seen.observation
		if o.Live == nil || o.Failure != nil || o.Restored == nil || len(o.Live.GetManagedFields()) == 0 {
			continue
		}
		labelled, err := r.stage.Label(ctx, o.Live, name, editor)
		if err != nil || labelled {
			return i, "/metadata/labels/" + name, err
		}
	}
	return 0, "", nil
}

type candidate struct {
	pointer string
	edit    replay.Edit
}

// candidates are declared values that live has as Git wants them, texts first:
// they are what people edit.
func (r *Runner) candidates(c casefile.Case, s sight, seen seenObject) ([]candidate, error) {
	found, err := compare.Fields(compare.Input{
		Desired: seen.desired.Unstructured, Observation: seen.observation, Types: seen.types,
		Writers: r.writers, Mask: r.scope(seen.application, seen.observation.ID),
	})
	if err != nil {
		return nil, err
	}
	var texts, others []candidate
	for pointer := range found.Declared {
		indexed := s.indexed(seen.observation.ID, pointer)
		value, isText := replay.Value(seen.observation.Live, indexed)
		if value == nil || isKey(pointer) || isSettled(c, seen, indexed) || parts(found.Differences, pointer) {
			continue
		}
		one := candidate{pointer: pointer, edit: replay.Edit{Path: indexed, Value: value}}
		if isText {
			texts = append(texts, one)
			continue
		}
		others = append(others, one)
	}
	byPointer := func(a, b candidate) int { return strings.Compare(a.pointer, b.pointer) }
	slices.SortFunc(texts, byPointer)
	slices.SortFunc(others, byPointer)
	return append(texts, others...), nil
}

// isKey: the field that a list item is known by. Who changes that makes
// another item of it.
func isKey(pointer string) bool {
	tokens := keyedpath.Tokens(pointer)
	if len(tokens) < 2 {
		return false
	}
	if strings.HasPrefix(tokens[len(tokens)-1], "[=") {
		return true // a member of a set is its own key
	}
	item, name := tokens[len(tokens)-2], tokens[len(tokens)-1]
	return strings.HasPrefix(item, "["+name+"=") || strings.HasPrefix(item, "[") && strings.Contains(item, ","+name+"=")
}

// isSettled: the case already says something else about the place.
func isSettled(c casefile.Case, seen seenObject, indexed string) bool {
	entries := c.Expect.Explained
	if c.Expect.Drift != nil {
		entries = slices.Concat(entries, *c.Expect.Drift)
	}
	return slices.ContainsFunc(entries, func(e casefile.Entry) bool {
		return e.Object.ID() == seen.observation.ID && e.Class != "default" &&
			(keyedpath.Within(indexed, e.Path) || keyedpath.Within(e.Path, indexed))
	})
}

func parts(differences []compare.Difference, pointer string) bool {
	return slices.ContainsFunc(differences, func(d compare.Difference) bool {
		return keyedpath.Within(pointer, d.Pointer) || keyedpath.Within(d.Pointer, pointer)
	})
}
