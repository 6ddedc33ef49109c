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

// Scope is the part of a remote's references that a wish needs to see. Listing
// less matters on hosts that keep a reference for every pull request.
type Scope string

// Scopes of a listing.
const (
	Heads      Scope = "heads"
	Tags       Scope = "tags"
	Everything Scope = "everything"
)

// Wish is a checked spec.ref.
type Wish struct {
	branch     string
	tag        string
	name       string
	commit     string
	constraint *semver.Constraints
	expression string
}

var fullHash = regexp.MustCompile(`^[0-9a-f]{40}$`)

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
		return Wish{}, fmt.Errorf("%w: spec.ref.commit %q is no full SHA-1 (40 hexadecimal digits)", ErrInvalid, spec.Commit)
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

// Scope says what has to be listed to choose.
func (w Wish) Scope() Scope {
	switch {
	case w.commit != "":
		return Heads
	case w.name != "":
		return scopeOf(w.name)
	case w.tag != "", w.constraint != nil:
		return Tags
	default:
		return Heads
	}
}

func scopeOf(fullName string) Scope {
	switch {
	case strings.HasPrefix(fullName, branchPrefix):
		return Heads
	case strings.HasPrefix(fullName, tagPrefix):
		return Tags
	default:
		return Everything
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
