// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitclone

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/fluxcd/pkg/git"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
)

// failed is the client's error in our words. What the budget refused comes
// first: the client wraps it in what it happened to be doing.
func (c *Clones) failed(ctx context.Context, remote gitremote.Remote, disk *disk, err error) error {
	if refusal := disk.budget.refusal(); gitremote.FaultOf(refusal) != "" {
		return refusal
	}
	fault := faultOf(err)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = fmt.Errorf("no branch leads to the commit, and --git-client=gogit fetches branches and tags only; use --git-client=git: %w", err)
	}
	return gitremote.Refused(ctx, remote, fault, err)
}

func faultOf(err error) gitremote.Fault {
	var missing git.ErrRepositoryNotFound
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return gitremote.Unauthorized
	case errors.As(err, &missing), errors.Is(err, transport.ErrRepositoryNotFound),
		errors.Is(err, transport.ErrEmptyRemoteRepository),
		errors.Is(err, plumbing.ErrObjectNotFound), errors.Is(err, plumbing.ErrReferenceNotFound):
		return gitremote.NotFound
	default:
		return gitremote.Unreachable
	}
}

// proxyOptions hands a proxy's password to the client beside its address.
func proxyOptions(proxy *url.URL) transport.ProxyOptions {
	address := *proxy
	address.User = nil
	options := transport.ProxyOptions{URL: address.String(), Username: proxy.User.Username()}
	options.Password, _ = proxy.User.Password()
	return options
}
