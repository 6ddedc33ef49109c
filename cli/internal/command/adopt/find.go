// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/engine"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/adopt"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// ErrUnproved: the patched source would not do what it should.
var ErrUnproved = errors.New("the patched source does not settle it")

// ErrNoSuch: what was asked for is not among the differences.
var ErrNoSuch = errors.New("there is no such difference")

// find compares, makes the patch, and proves it.
func find(ctx context.Context, s *engine.Session, o Options) (report.Adoption, adopt.Result, error) {
	a := report.Adoption{Application: s.Application}
	before, err := engine.Compare(ctx, s.Cluster, s.Input)
	if err != nil {
		return a, adopt.Result{}, err
	}
	changes, left := o.choose(before)
	if len(changes)+len(left) == 0 && (o.Object != "" || o.Path != "") {
		return a, adopt.Result{}, fmt.Errorf("%w: nothing differs at %s that could be adopted; holdfast get drift %s lists what differs",
			ErrNoSuch, strings.TrimSpace(o.Object+" "+o.Path), o.Name)
	}
	options, err := s.Options(ctx, s.Cluster)
	if err != nil {
		return a, adopt.Result{}, err
	}
	result, err := adopt.Make(ctx, adopt.Source{Files: s.Files, Dir: s.Application.Spec.Path, Options: options}, changes)
	if err != nil {
		return a, result, fmt.Errorf("rendering %s: %w", s.Name, err)
	}
	if err := prove(ctx, s, before, result); err != nil {
		return a, result, err
	}
	a.Left = left
	for _, l := range result.Left {
		a.Left = append(a.Left, report.LeftField{Object: name(l.ID), Path: keyedpath.Pointer(l.Path), Reason: l.Reason})
	}
	for _, f := range result.Adopted {
		a.Adopted = append(a.Adopted, report.AdoptedField{Object: name(f.ID), Path: keyedpath.Pointer(f.Path), Place: f.Place, Follows: f.Follows})
	}
	a.Patch = patch(result.Files)
	return a, result, nil
}

func name(id manifest.ID) string { return id.Kind + "/" + id.Name }

// choose splits the differences that are meant into those that Git may have
// and those that it may not, with the reason.
func (o Options) choose(c engine.Comparison) (changes []adopt.Change, left []report.LeftField) {
	for _, object := range c.Objects {
		if o.Object != "" && !strings.EqualFold(o.Object, name(object.ID)) || object.Verdict != v1alpha1.VerdictDrifted {
			continue
		}
		for _, j := range object.Judgements {
			if !o.means(j) {
				continue
			}
			live := j.Live.Report(j.Wanted)
			wanted := j.Wanted.Report(j.Live)
			if object.ID.Kind == "Secret" || live != nil && live.Masked || wanted != nil && wanted.Masked {
				left = append(left, report.LeftField{Object: name(object.ID), Path: j.Pointer,
					Reason: "it holds a secret, which does not go to Git: change it where the secret is kept"})
				continue
			}
			value, present := keyedpath.Get(c.Live[object.ID].Object, j.Path)
			changes = append(changes, adopt.Change{ID: object.ID, Path: j.Path, Value: value, Remove: !present})
		}
	}
	return changes, left
}

// means: without a path these are people's edits and what nobody owns; a mark
// that somebody's restart left is neither configuration nor to be repeated.
func (o Options) means(j drift.Judgement) bool {
	if o.Path != "" {
		return j.Drift && keyedpath.Within(j.Pointer, o.Path)
	}
	mark := strings.HasSuffix(j.Pointer, "/annotations/kubectl.kubernetes.io~1restartedAt")
	return j.Drift && !mark && (j.Class == v1alpha1.ClassManual || j.Class == v1alpha1.ClassUnowned)
}

// prove holds the patched source against the cluster: what was adopted does not
// differ any more, and nothing differs that did not before, but for what
// follows from it.
func prove(ctx context.Context, s *engine.Session, before engine.Comparison, result adopt.Result) error {
	if len(result.Files) == 0 {
		return nil
	}
	in := s.With(adopt.Patched(s.Files, result.Files, false), adopt.Patched(s.External.ValuesFS, result.Files, true))
	after, err := engine.Compare(ctx, s.Cluster, in)
	if err != nil {
		return err
	}
	had := map[string]bool{}
	for _, o := range before.Objects {
		for _, j := range o.Judgements {
			had[o.ID.String()+j.Pointer] = j.Drift
		}
		had[o.ID.String()] = o.Verdict == v1alpha1.VerdictMissing || o.Verdict == v1alpha1.VerdictUnknown
	}
	for _, o := range after.Objects {
		if (o.Verdict == v1alpha1.VerdictMissing || o.Verdict == v1alpha1.VerdictUnknown) && !had[o.ID.String()] {
			return fmt.Errorf("%w: %s would be %s (%s)", ErrUnproved, o.ID, o.Verdict, o.Message)
		}
		for _, j := range o.Judgements {
			if j.Drift && (!had[o.ID.String()+j.Pointer] && !follows(result, j) || settled(result, o.ID, j)) {
				return fmt.Errorf("%w: %s would still differ at %s; nothing was written", ErrUnproved, o.ID, j.Pointer)
			}
		}
	}
	return nil
}

func settled(result adopt.Result, id manifest.ID, j drift.Judgement) bool {
	return slices.ContainsFunc(result.Adopted, func(a adopt.Adopted) bool {
		at := keyedpath.Pointer(a.Path)
		return a.ID == id && (keyedpath.Within(j.Pointer, at) || keyedpath.Within(at, j.Pointer))
	})
}

func follows(result adopt.Result, j drift.Judgement) bool {
	return slices.ContainsFunc(result.Adopted, func(a adopt.Adopted) bool {
		return slices.ContainsFunc(a.Follows, func(f string) bool { return strings.HasSuffix(f, " "+j.Pointer) })
	})
}

func patch(files []adopt.File) string {
	var b strings.Builder
	for _, f := range files {
		before := "a/" + f.Name
		if f.Before == nil {
			before = "/dev/null"
		}
		b.Write(diff.Diff(before, f.Before, "b/"+f.Name, f.After))
	}
	return b.String()
}
