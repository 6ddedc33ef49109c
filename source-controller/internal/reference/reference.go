// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/revision"
)

const (
	branchPrefix  = "refs/heads/"
	tagPrefix     = "refs/tags/"
	defaultBranch = "master"
	// peelSuffix is how a remote lists the commit behind an annotated tag.
	peelSuffix = "^{}"
)

// Kinds of failure; the text beside them says which name and what to do.
var (
	ErrInvalid  = errors.New("invalid reference")
	ErrNotFound = errors.New("reference not found")
	ErrEmpty    = errors.New("git repository is empty")
)

// Ref is one reference as the remote lists it.
type Ref struct {
	Name string // full, such as refs/heads/main
	Hash string // what it points at: a commit, or a tag object
	// Peeled is the commit behind an annotated tag; empty for everything else.
	Peeled string
}

// Commit is the commit that the reference leads to.
func (r Ref) Commit() string {
	if r.Peeled != "" {
		return r.Peeled
	}
	return r.Hash
}

// tagObject is the object of an annotated tag, empty for everything else.
func (r Ref) tagObject() string {
	if r.Peeled == "" {
		return ""
	}
	return r.Hash
}

// Wish is a checked spec.ref.
type Wish struct {
	branch     string
	tag        string
	name       string
	commit     string
	constraint *semver.Constraints
	expression string
}

// fullHash is the name of an object, by SHA-1 or by SHA-256.
var fullHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// Parse checks spec.ref; nil asks for the branch master. The error is of kind
// ErrInvalid.
func Parse(spec *sourcev1.GitRepositoryRef) (Wish, error) {
	if spec == nil {
		spec = &sourcev1.GitRepositoryRef{}
	}
	w := Wish{
		branch:     spec.Branch,
		tag:        spec.Tag,
		name:       spec.Name,
		commit:     strings.ToLower(spec.Commit),
		expression: spec.SemVer,
	}
	if w.commit != "" && !fullHash.MatchString(w.commit) {
		return Wish{}, fmt.Errorf("%w: spec.ref.commit %q is no full object name (40 or 64 hexadecimal digits)", ErrInvalid, spec.Commit)
	}
	if err := checkName("spec.ref.branch", branchPrefix, w.branch); err != nil {
		return Wish{}, err
	}
	if err := checkName("spec.ref.tag", tagPrefix, w.tag); err != nil {
		return Wish{}, err
	}
	if err := checkFullName(w.name); err != nil {
		return Wish{}, err
	}
	if w.expression != "" {
		constraint, err := semver.NewConstraint(w.expression)
		if err != nil {
			return Wish{}, fmt.Errorf("%w: spec.ref.semver %q: semver parse error: %w", ErrInvalid, w.expression, err)
		}
		w.constraint = constraint
	}
	if w.branch == "" && w.nothingElse() {
		w.branch = defaultBranch
	}
	return w, nil
}

func (w Wish) nothingElse() bool {
	return w.commit == "" && w.name == "" && w.tag == "" && w.constraint == nil
}

// Narrow gives the beginnings of the references that have to be seen to choose.
// Asking for one matters on hosts that keep a reference for every pull request.
func (w Wish) Narrow() []string {
	switch {
	case w.commit != "" && w.branch != "":
		return []string{branchPrefix + w.branch}
	case w.commit == "" && w.name != "":
		return []string{strings.TrimSuffix(w.name, peelSuffix)}
	case w.commit == "" && w.tag != "":
		return []string{tagPrefix + w.tag}
	case w.commit == "" && w.constraint == nil:
		return []string{branchPrefix + w.branch}
	default:
		return w.Wide()
	}
}

// Wide gives the beginnings of the references that tell what there is instead
// of one that is missing.
func (w Wish) Wide() []string {
	switch {
	case w.commit != "":
		return []string{branchPrefix}
	case strings.HasPrefix(w.name, tagPrefix):
		return []string{tagPrefix}
	case w.name != "" && !strings.HasPrefix(w.name, branchPrefix):
		return nil
	case w.name == "" && (w.tag != "" || w.constraint != nil):
		return []string{tagPrefix}
	default:
		return []string{branchPrefix}
	}
}

// Pin is the revision of a pinned commit, which no remote can change: an object
// that is stored once never has to be asked for again.
func (w Wish) Pin() (revision.Revision, bool) {
	if w.commit == "" {
		return revision.Revision{}, false
	}
	return revision.Revision{Name: w.pinName(), Hash: w.commit}, true
}

// pinName is what stands before the @ of a pinned revision.
func (w Wish) pinName() string {
	if w.name != "" {
		return w.name
	}
	return w.branch
}
