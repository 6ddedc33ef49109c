// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
)

func sorted(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }

// explain says what stood against a request, and what to do. The address has no
// credential in it, see Parse.
func (r Remote) explain(err error, doing string) error {
	fault := func(kind cluster.Kind, what, next string) error {
		return &cluster.Fault{Kind: kind, What: fmt.Sprintf("%s %s (branch %s): %s", doing, r.URL, r.Branch, what), Next: next, Cause: err}
	}
	var host *HostKeyError
	var network net.Error
	var address *url.Error
	text := err.Error()
	switch {
	case errors.As(err, &host) && host.Changed:
		return fault(cluster.Refused, host.Error(),
			"Somebody may be between you and the server. Ask its owner for the fingerprint; if it is right, give the new key with --known-hosts-file. Nothing was sent.")
	case errors.As(err, &host):
		return fault(cluster.Refused, host.Error(),
			"Compare the fingerprint with what the server's owner publishes, then give the key with --known-hosts-file. Nothing was sent.")
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed), strings.Contains(text, "unable to authenticate"):
		return fault(cluster.Unauthorized, "the server does not accept the credential",
			"It needs the right to read and to push. Give a token by GIT_PASSWORD or --password-file, or a deploy key with write access by --private-key-file.")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fault(cluster.NotFound, "there is no such repository, or the credential may not see it", "Check the address; create the repository first, empty is enough.")
	case errors.Is(err, git.NoMatchingRefSpecError{}), errors.Is(err, plumbing.ErrReferenceNotFound):
		return fault(cluster.NotFound, "the repository has no such branch", "Name one that exists with --branch, or create it.")
	case strings.Contains(text, "pre-receive hook declined"), strings.Contains(text, "protected branch"), strings.Contains(text, "hook declined"):
		return fault(cluster.Refused, "the server refuses the push: "+text,
			"The branch is protected, or a hook declined. Let the credential's owner push to it, or bootstrap another branch and merge it.")
	case errors.As(err, &network), errors.As(err, &address):
		return fault(cluster.Unreachable, text, "Check that the server can be reached from here. Nothing was changed.")
	default:
		return fault(cluster.Other, text, "")
	}
}
