// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
)

// Remote is a branch of a repository.
type Remote struct {
	URL, Branch string
	Insecure    bool
	Credential  Credential
}

// Author of commits; Signer may be nil.
type Author struct {
	Name, Email string
	Signer      git.Signer
}

// Checkout is a branch as it was when it was read.
type Checkout struct {
	remote Remote
	auth   transport.AuthMethod
	repo   *git.Repository
	tree   *git.Worktree
}

// Open reads a branch. An empty repository is as good as any.
func Open(ctx context.Context, r Remote) (*Checkout, error) {
	u, err := Parse(r.URL, r.Insecure)
	if err != nil {
		return nil, err
	}
	auth, err := r.Credential.method(u)
	if err != nil {
		return nil, err
	}
	c := &Checkout{remote: r, auth: auth}
	branch := plumbing.NewBranchReferenceName(r.Branch)
	c.repo, err = git.CloneContext(ctx, memory.NewStorage(), memfs.New(), &git.CloneOptions{
		URL: r.URL, Auth: auth, ReferenceName: branch, SingleBranch: true, Tags: git.NoTags, CABundle: r.Credential.CA,
	})
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		err = c.start(branch)
	}
	if err != nil {
		return nil, r.explain(err, "reading")
	}
	if c.tree, err = c.repo.Worktree(); err != nil {
		return nil, r.explain(err, "reading")
	}
	return c, nil
}

// start makes the first commit's parent: nothing.
func (c *Checkout) start(branch plumbing.ReferenceName) (err error) {
	if c.repo, err = git.InitWithOptions(memory.NewStorage(), memfs.New(), git.InitOptions{DefaultBranch: branch}); err != nil {
		return err
	}
	_, err = c.repo.CreateRemote(&config.RemoteConfig{Name: git.DefaultRemoteName, URLs: []string{c.remote.URL}})
	return err
}

// Read gives a file; found is false if there is none.
func (c *Checkout) Read(name string) (text []byte, found bool, err error) {
	f, err := c.tree.Filesystem.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading %s of the repository: %w", name, err)
	}
	defer f.Close()
	const most = 16 << 20
	text, err = io.ReadAll(io.LimitReader(f, most))
	return text, true, err
}

// Commit writes files and commits them; without a difference it commits nothing
// and says so with an empty hash.
func (c *Checkout) Commit(files map[string][]byte, message string, by Author, at time.Time) (string, error) {
	changed := false
	for _, name := range sorted(files) {
		before, found, err := c.Read(name)
		if err != nil {
			return "", err
		}
		if found && bytes.Equal(before, files[name]) {
			continue
		}
		changed = true
		if err := c.write(name, files[name]); err != nil {
			return "", err
		}
	}
	if !changed {
		return "", nil
	}
	who := &object.Signature{Name: by.Name, Email: by.Email, When: at}
	hash, err := c.tree.Commit(message, &git.CommitOptions{Author: who, Committer: who, Signer: by.Signer})
	if err != nil {
		return "", fmt.Errorf("committing: %w", err)
	}
	return hash.String(), nil
}

// write refuses to go through a link: a hostile repository would have us write
// elsewhere in it than where people look.
func (c *Checkout) write(name string, text []byte) error {
	fs := c.tree.Filesystem
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		if info, err := fs.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return &cluster.Fault{Kind: cluster.Refused, What: at + " of the repository is a symbolic link", Next: "Choose another --path, or replace the link by a folder."}
		}
	}
	if err := put(fs, name, text); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, err := c.tree.Add(name)
	return err
}

func put(fs billy.Filesystem, name string, text []byte) error {
	if err := fs.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// ErrRaced: somebody else pushed meanwhile.
var ErrRaced = errors.New("somebody else pushed to the branch meanwhile")

// Push sends the commits. It never forces.
func (c *Checkout) Push(ctx context.Context) error {
	branch := plumbing.NewBranchReferenceName(c.remote.Branch)
	err := c.repo.PushContext(ctx, &git.PushOptions{
		RemoteName: git.DefaultRemoteName, Auth: c.auth, CABundle: c.remote.Credential.CA,
		RefSpecs: []config.RefSpec{config.RefSpec(branch + ":" + branch)},
	})
	switch {
	case err == nil, errors.Is(err, git.NoErrAlreadyUpToDate):
		return nil
	case raced(err):
		return fmt.Errorf("%w: %w", ErrRaced, err)
	default:
		return c.remote.explain(err, "pushing to")
	}
}

// raced: the server has no type for it, only words.
func raced(err error) bool {
	text := err.Error()
	return errors.Is(err, git.ErrForceNeeded) || errors.Is(err, git.ErrNonFastForwardUpdate) || strings.Contains(text, "non-fast-forward") ||
		strings.Contains(text, "fetch first") || strings.Contains(text, "failed to update ref") || strings.Contains(text, "cannot lock ref")
}

// Head is the commit that the branch is at, "" if there is none.
func (c *Checkout) Head() string {
	head, err := c.repo.Head()
	if err != nil {
		return ""
	}
	return head.Hash().String()
}
