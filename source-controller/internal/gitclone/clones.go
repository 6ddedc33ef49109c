// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitclone

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/fluxcd/pkg/git"
	"github.com/fluxcd/pkg/git/gogit"
	"github.com/fluxcd/pkg/git/repository"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

const (
	branchPrefix = "refs/heads/"
	tagPrefix    = "refs/tags/"
	sha256Length = 64
)

// Config is what Open needs.
type Config struct {
	// Root is the folder of the clones, emptied at the start.
	Root string
	// Lister asks remotes what they have, and follows their redirects.
	Lister *gitremote.Mirrors
	// MaxBytes ends a clone that writes more; zero: no bound.
	MaxBytes int64
	// MaxEntries ends a clone with more files; zero: no bound.
	MaxEntries int
	// Algorithms restrict what SSH connections negotiate.
	Algorithms sshlink.Algorithms
}

// Clones fetches with Flux's client. It is safe for concurrent use; a process has
// one, because the client's transports are the process's.
type Clones struct {
	*gitremote.Mirrors // for List and Sweep
	config             Config
}

// Open prepares the folder, and the transports of the client.
func Open(config Config) (*Clones, error) {
	// Clones of a process that was killed are of no use to this one.
	if err := errors.Join(os.RemoveAll(config.Root), os.MkdirAll(config.Root, 0o700)); err != nil {
		return nil, fmt.Errorf("cannot prepare the folder of the Git clones %s: %w", config.Root, err)
	}
	// By default it would take credentials along to where a redirect leads.
	still := githttp.NewClientWithOptions(&http.Client{Transport: http.DefaultTransport},
		&githttp.ClientOptions{RedirectPolicy: githttp.NoFollowRedirects})
	client.InstallProtocol("http", still)
	client.InstallProtocol("https", still)
	// A file of the user that runs the controller must not send it elsewhere.
	gitssh.DefaultSSHConfig = nil
	git.KexAlgos, git.HostKeyAlgos = config.Algorithms.KeyExchanges, config.Algorithms.HostKeys
	return &Clones{Mirrors: config.Lister, config: config}, nil
}

// Checkout clones what a choice leads to until the deadline, and opens the tree
// of its commit, which may be read for longer.
func (c *Clones) Checkout(ctx context.Context, remote gitremote.Remote, choice reference.Choice, deadline time.Time) (*gitremote.Tree, error) {
	if len(choice.Commit) == sha256Length {
		return nil, &gitremote.Error{Fault: gitremote.Unsupported, Message: "the repository names its objects by SHA-256, which --git-client=gogit cannot read; use --git-client=git"}
	}
	return c.open(ctx, remote, strategy(choice), deadline)
}

// strategy says a choice in the words of the client.
func strategy(choice reference.Choice) repository.CheckoutStrategy {
	branch, isBranch := strings.CutPrefix(choice.Ref, branchPrefix)
	tag, isTag := strings.CutPrefix(choice.Ref, tagPrefix)
	switch {
	case choice.History && isBranch:
		return repository.CheckoutStrategy{Branch: branch, Commit: choice.Commit}
	case choice.History:
		return repository.CheckoutStrategy{Commit: choice.Commit}
	case isBranch:
		return repository.CheckoutStrategy{Branch: branch}
	case isTag:
		return repository.CheckoutStrategy{Tag: tag}
	default:
		// By its name the client would fetch the same branches, and needs a HEAD.
		return repository.CheckoutStrategy{Commit: choice.Commit}
	}
}

// Submodules opens what a tree's submodules stand at, by gitremote's rules. A
// commit that no branch leads to cannot be had from this client.
func (c *Clones) Submodules(ctx context.Context, remote gitremote.Remote, tree *gitremote.Tree, deadline time.Time) ([]gitremote.Submodule, error) {
	return gitremote.Collect(ctx, gitremote.Walk{Remote: remote, Tree: tree, MaxEntries: c.config.MaxEntries,
		Open: func(ctx context.Context, remote gitremote.Remote, commit string) (*gitremote.Tree, error) {
			return c.open(ctx, remote, repository.CheckoutStrategy{Commit: commit}, deadline)
		}})
}

// plan is what the client fetches.
type plan struct {
	what repository.CheckoutStrategy
	all  bool // every branch, and not only the one that is named
}

// anywhere looks for a commit in all branches. The client checks one of them out
// first; without a name it takes the remote's HEAD, which need not exist.
func (c *Clones) anywhere(ctx context.Context, remote gitremote.Remote, commit string) (plan, error) {
	refs, err := c.List(ctx, remote, []string{branchPrefix})
	if err != nil {
		return plan{}, err
	}
	for _, ref := range refs {
		if branch, found := strings.CutPrefix(ref.Name, branchPrefix); found {
			return plan{what: repository.CheckoutStrategy{Branch: branch, Commit: commit}, all: true}, nil
		}
	}
	return plan{}, &gitremote.Error{Fault: gitremote.NotFound, Message: fmt.Sprintf("no branch leads to the commit %s: there is none", commit)}
}

// open clones into a folder of its own, which goes when the tree is closed.
func (c *Clones) open(ctx context.Context, remote gitremote.Remote, what repository.CheckoutStrategy, deadline time.Time) (*gitremote.Tree, error) {
	remoteCtx, cancel := context.WithDeadlineCause(ctx, deadline, context.DeadlineExceeded)
	defer cancel()
	if proxy := remote.Auth.Proxy(); proxy != nil && remote.Address.Scheme == "ssh" && !strings.HasPrefix(proxy.Scheme, "socks5") {
		return nil, &gitremote.Error{Fault: gitremote.Unsupported, Message: "SSH through a proxy that is no SOCKS5 proxy cannot be had with --git-client=gogit; use --git-client=git"}
	}
	reached, err := c.Reach(remoteCtx, remote)
	if err != nil {
		return nil, err
	}
	plan := plan{what: what}
	if what.Commit != "" && what.Branch == "" {
		if plan, err = c.anywhere(remoteCtx, remote, what.Commit); err != nil {
			return nil, err
		}
	}
	folder, err := os.MkdirTemp(c.config.Root, "clone-")
	if err != nil {
		return nil, &gitremote.Error{Fault: gitremote.Broken, Message: "cannot make a folder for a Git clone", Cause: err}
	}
	disk := newDisk(remoteCtx, folder, limits{bytes: c.config.MaxBytes, files: c.config.MaxEntries})
	// Not all of what the client does ends with its context. It is not waited
	// for: its files are refused from then on, and go when it is done.
	done := make(chan cloned, 1)
	go func() { done <- clone(remoteCtx, reached, plan, disk) }()
	select {
	case got := <-done:
		if got.err != nil {
			_ = os.RemoveAll(folder)
			return nil, c.failed(remoteCtx, remote, disk, got.err)
		}
		return c.tree(ctx, got, disk)
	case <-remoteCtx.Done():
		go func() {
			<-done
			_ = os.RemoveAll(folder)
		}()
		return nil, gitremote.Refused(remoteCtx, remote, gitremote.TimedOut, remoteCtx.Err())
	}
}

// cloned is what the client gave.
type cloned struct {
	commit string
	tag    string // the object of an annotated tag, empty for none
	err    error
}

func clone(ctx context.Context, remote gitremote.Remote, plan plan, disk *disk) cloned {
	auth := remote.Auth
	options := &git.AuthOptions{
		Transport: git.TransportType(remote.Address.Scheme), Host: remote.Address.Host,
		Username: auth.Username(), Password: auth.Password(), BearerToken: auth.Bearer(),
		Identity: auth.SSH().Identity, KnownHosts: auth.SSH().KnownHosts, CAFile: auth.CA(),
	}
	options.ClientCert, options.ClientKey = auth.ClientCertificate()
	if options.Transport == git.SSH {
		options.Password = auth.SSH().Passphrase
	}
	with := []gogit.ClientOption{gogit.WithStorer(disk.objects), gogit.WithWorkTreeFS(disk.files), gogit.WithInsecureCredentialsOverHTTP(), gogit.WithSingleBranch(!plan.all)}
	if proxy := auth.Proxy(); proxy != nil {
		with = append(with, gogit.WithProxy(proxyOptions(proxy)))
	}
	cloner, err := gogit.NewClient(disk.folder, options, with...)
	if err != nil {
		return cloned{err: err}
	}
	defer cloner.Close()
	commit, err := cloner.Clone(ctx, remote.Address.String(), repository.CloneConfig{ShallowClone: true, CheckoutStrategy: plan.what})
	switch {
	case err != nil:
		return cloned{err: err}
	case commit == nil:
		return cloned{err: transport.ErrEmptyRemoteRepository}
	}
	got := cloned{commit: commit.Hash.String()}
	if commit.ReferencingTag != nil {
		got.tag = commit.ReferencingTag.Hash.String()
	}
	return got
}
