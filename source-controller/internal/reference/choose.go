// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/fluxcd/pkg/version"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/revision"
)

// Choice is one version to fetch.
type Choice struct {
	// Ref is the full reference to fetch; empty asks for every branch.
	Ref string
	// Commit is where it stood when the remote was listed, or the pinned commit.
	Commit string
	// Tag is the object of an annotated tag; empty for everything else.
	Tag string
	// Name stands before the @ of the revision.
	Name string
	// History asks for the whole history of Ref, because the commit may lie
	// behind its tip.
	History bool
	// Reason is a sentence for people.
	Reason string
}

// Revision is the revision of this choice at the commit that was fetched, which
// may be newer than the one that was listed.
func (c Choice) Revision(commit string) revision.Revision {
	return revision.Revision{Name: c.Name, Hash: commit}
}

// TagName is the tag that leads to the commit, in its short form; empty where
// something else does.
func (c Choice) TagName() string {
	name, isTag := strings.CutPrefix(c.Ref, tagPrefix)
	if !isTag {
		return ""
	}
	return name
}

// Choose picks from what the remote listed. It gives more than one choice only
// where a semver range leads to equal versions that differ in build metadata:
// then their commit times decide, see Latest.
func (w Wish) Choose(refs []Ref) ([]Choice, error) {
	switch {
	case w.commit != "":
		return w.chooseCommit(refs)
	case w.name != "":
		return w.chooseName(refs)
	case w.tag != "":
		return chooseOne(refs, tagPrefix+w.tag, w.tag, "spec.ref.tag")
	case w.constraint != nil:
		return w.chooseVersion(refs)
	}
	if len(refs) == 0 {
		return nil, fmt.Errorf("%w: it has no branch yet; push one", ErrEmpty)
	}
	return chooseOne(refs, branchPrefix+w.branch, w.branch, "spec.ref.branch")
}

func chooseOne(refs []Ref, full, short, field string) ([]Choice, error) {
	ref, found := find(refs, full)
	if !found {
		return nil, notFound(refs, full, field)
	}
	return []Choice{{
		Ref:    full,
		Commit: ref.Commit(),
		Tag:    ref.tagObject(),
		Name:   short,
		Reason: fmt.Sprintf("%s names it", field),
	}}, nil
}

// chooseName keeps the reference as written in the revision, peel suffix
// included, since consumers compare that string.
func (w Wish) chooseName(refs []Ref) ([]Choice, error) {
	return chooseOne(refs, strings.TrimSuffix(w.name, peelSuffix), w.name, "spec.ref.name")
}

// chooseCommit looks for a branch whose tip is the pinned commit, because then
// no history has to be moved to prove that the commit belongs to a branch.
func (w Wish) chooseCommit(refs []Ref) ([]Choice, error) {
	choice := Choice{Commit: w.commit, Name: w.pinName(), Reason: "spec.ref.commit names it"}
	if len(refs) == 0 {
		return nil, fmt.Errorf("%w: no branch can hold the commit %s", ErrNotFound, w.commit)
	}
	if w.branch != "" {
		choice.Ref = branchPrefix + w.branch
		ref, found := find(refs, choice.Ref)
		if !found {
			return nil, notFound(refs, choice.Ref, "spec.ref.branch")
		}
		choice.History = ref.Hash != w.commit
		return []Choice{choice}, nil
	}
	for _, ref := range refs {
		if ref.Hash == w.commit && strings.HasPrefix(ref.Name, branchPrefix) {
			choice.Ref = ref.Name
			return []Choice{choice}, nil
		}
	}
	choice.History = true
	return []Choice{choice}, nil
}

func (w Wish) chooseVersion(refs []Ref) ([]Choice, error) {
	var best *semver.Version
	var choices []Choice
	matches := 0
	for _, ref := range refs {
		tag, isTag := strings.CutPrefix(ref.Name, tagPrefix)
		if !isTag {
			continue
		}
		candidate, err := version.ParseVersion(tag)
		if err != nil || !w.constraint.Check(candidate) {
			continue
		}
		matches++
		if best != nil && candidate.LessThan(best) {
			continue
		}
		if best == nil || best.LessThan(candidate) {
			best, choices = candidate, nil
		}
		choices = append(choices, Choice{Ref: ref.Name, Commit: ref.Commit(), Tag: ref.tagObject(), Name: tag})
	}
	if best == nil {
		return nil, fmt.Errorf("%w: no match found for semver: %s among %d tags", ErrNotFound, w.expression, len(refs))
	}
	for i := range choices {
		choices[i].Reason = fmt.Sprintf("the highest of %d tags in the range %s", matches, w.expression)
	}
	return choices, nil
}

// Latest settles equal versions: the youngest commit wins, and the name decides
// between commits of one second, so that two passes agree.
func Latest(choices []Choice, committed map[string]time.Time) Choice {
	return slices.MaxFunc(choices, func(a, b Choice) int {
		if order := committed[a.Commit].Compare(committed[b.Commit]); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
}

func find(refs []Ref, full string) (Ref, bool) {
	i := slices.IndexFunc(refs, func(r Ref) bool { return r.Name == full })
	if i < 0 {
		return Ref{}, false
	}
	return refs[i], true
}

// notFound names a few of the references that do exist, since a typing error
// or the wrong default branch is the usual cause.
func notFound(refs []Ref, full, field string) error {
	const show = 5
	var seen []string
	for _, ref := range refs[:min(show, len(refs))] {
		seen = append(seen, ref.Name)
	}
	hint := "the remote has none of that kind"
	if len(seen) > 0 {
		hint = "the remote has " + strings.Join(seen, ", ")
	}
	if rest := len(refs) - len(seen); rest > 0 {
		hint += fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Errorf("%w: couldn't find remote ref %q of %s; %s", ErrNotFound, full, field, hint)
}
