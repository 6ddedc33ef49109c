// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
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
// since it was listed, the tree is that of the newer commit: ask the tree.
func (m *Mirrors) Checkout(ctx context.Context, remote Remote, choice reference.Choice, deadline time.Time) (*Tree, error) {
	remoteCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	held, release, err := m.hold(remoteCtx, remote, formatOf(choice.Commit))
	if err != nil {
		return nil, err
	}
	defer release()
	var tree *Tree
	err = held.repaired(remoteCtx, func() error {
		found, err := m.bring(remoteCtx, held, remote, choice)
		if err != nil {
			return err
		}
		tree, err = held.tree(ctx, found, m.maxEntries)
		return err
	})
	return tree, err
}

// bring makes sure that the mirror has what a choice leads to.
func (m *Mirrors) bring(ctx context.Context, held *mirror, remote Remote, choice reference.Choice) (found, error) {
	top := choice.Commit
	if choice.Tag != "" {
		top = choice.Tag
	}
	if !choice.History && held.leadsTo(ctx, top) {
		return found{choice.Commit, choice.Tag}, nil
	}
	f := planFetch(choice)
	if err := m.transfer(ctx, held, remote, f); err != nil {
		return found{}, err
	}
	if choice.History {
		return found{commit: choice.Commit}, held.contains(ctx, f.local, choice)
	}
	return held.resolve(ctx, f.local, choice.Ref)
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
