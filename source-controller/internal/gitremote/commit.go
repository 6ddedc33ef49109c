// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

// found is what a choice led to.
type found struct {
	commit string
	tag    string // the object of an annotated tag, empty for none
}

// resolve follows a local reference to its commit, and notes the tag on the way.
func (r *mirror) resolve(ctx context.Context, local, ref string) (found, error) {
	commit, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", local+"^{commit}")
	if err != nil {
		return found{}, &Error{Fault: NotFound, Cause: err, Message: fmt.Sprintf("%s does not lead to a commit", ref)}
	}
	top, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", local)
	if err != nil || top == commit {
		return found{commit: commit}, err
	}
	return found{commit, top}, nil
}

// leadsTo tells whether a local reference leads to the commit. That the object
// exists would not be enough: a transfer that failed may have left some.
func (r *mirror) leadsTo(ctx context.Context, commit string) bool {
	found, err := r.run(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "--points-at="+commit, "refs/holdfast/")
	return err == nil && found != ""
}

// contains proves that a pinned commit belongs to what was fetched: some hosts
// hand out any object, also those of strangers' forks.
func (r *mirror) contains(ctx context.Context, local string, choice reference.Choice) error {
	where := "the branch " + strings.TrimPrefix(choice.Ref, "refs/heads/")
	if choice.Ref == "" {
		where = "any branch"
	}
	missing := &Error{Fault: NotFound, Message: fmt.Sprintf("the commit %s is not in the history of %s", choice.Commit, where)}
	if _, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", choice.Commit+"^{commit}"); err != nil {
		if exitCode(err) == 1 {
			return missing
		}
		return err
	}
	found, err := r.run(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "--contains="+choice.Commit, local)
	if err != nil {
		return err
	}
	if found == "" {
		return missing
	}
	return nil
}
