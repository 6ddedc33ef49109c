// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

const (
	// onePrefix holds one local reference for each remote one. The local name is
	// a digest, so that no remote name can collide with another as file and
	// folder, or mean something to Git.
	onePrefix = "refs/holdfast/one/"
	// allPrefix holds every branch, for pins without a branch.
	allPrefix = "refs/holdfast/all/"
	// whole is the depth that Git takes as no limit, also where the mirror was
	// shallow before.
	whole = "2147483647"
)

// Checkout moves what is missing of a choice until the deadline, and opens the
// tree of its commit, which may be read for longer. Where the reference moved on
// since it was listed, the tree is that of the newer commit: ask the tree. The
// mirror is held until the tree is closed.
func (m *Mirrors) Checkout(ctx context.Context, remote Remote, choice reference.Choice, deadline time.Time) (*Tree, error) {
	remoteCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	held, release, err := m.hold(remoteCtx, remote)
	if err != nil {
		return nil, err
	}
	var tree *Tree
	err = held.repaired(remoteCtx, func() error {
		commit, err := m.bring(remoteCtx, held, remote, choice)
		if err != nil {
			return err
		}
		tree, err = held.open(ctx, commit, m.maxEntries)
		return err
	})
	if err != nil {
		release()
		return nil, err
	}
	tree.release = release
	return tree, nil
}

// bring makes sure that the mirror has the commit of a choice, and gives its
// object name.
func (m *Mirrors) bring(ctx context.Context, held *mirror, remote Remote, choice reference.Choice) (string, error) {
	if !choice.History && held.leadsTo(ctx, choice.Commit) {
		return choice.Commit, nil
	}
	f := planFetch(choice)
	if err := m.transfer(ctx, held, remote, f); err != nil {
		return "", err
	}
	if choice.History {
		return choice.Commit, held.contains(ctx, f.local, choice)
	}
	commit, err := held.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", f.local+"^{commit}")
	if err != nil {
		return "", &Error{Fault: NotFound, Cause: err, Message: fmt.Sprintf("%s does not lead to a commit", choice.Ref)}
	}
	return commit, nil
}

// fetch is one transfer: what, to where, how deep.
type fetch struct {
	refspec string
	local   string
	args    []string
}

func planFetch(choice reference.Choice) fetch {
	if choice.Ref == "" {
		return fetch{
			refspec: "+refs/heads/*:" + allPrefix + "*",
			local:   allPrefix,
			args:    []string{"--depth=" + whole, "--prune"},
		}
	}
	digest := sha256.Sum256([]byte(choice.Ref))
	f := fetch{local: onePrefix + hex.EncodeToString(digest[:16]), args: []string{"--depth=1"}}
	if choice.History {
		f.args = []string{"--depth=" + whole}
	}
	f.refspec = "+" + choice.Ref + ":" + f.local
	return f
}

// transfer runs git fetch, bounded in time by the context and in size by the
// limit, and leaves no half-written file behind.
func (m *Mirrors) transfer(ctx context.Context, held *mirror, remote Remote, f fetch) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := append([]string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"}, f.args...)
	args = append(args, "--", "origin", f.refspec)
	go held.watch(ctx, m.maxMirrorBytes, cancel)
	err := m.remotely(ctx, remote, func(set settings) error {
		_, err := m.git.output(ctx, call{dir: held.path, settings: set, args: args, limit: smallOutput})
		return err
	})
	switch {
	case err == nil:
		held.tidy(ctx)
	case FaultOf(err) == TooLarge:
		// What is there counts against the next attempt too, so start over.
		_ = os.RemoveAll(held.path)
	default:
		held.removeLeftovers()
	}
	return err
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
