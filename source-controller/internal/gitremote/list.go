// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

// maxListing bounds what a remote may list: about half a million references.
const maxListing = 64 << 20

// List asks the remote for its references: one request or two, no transfer.
func (m *Mirrors) List(ctx context.Context, remote Remote, scope reference.Scope) ([]reference.Ref, error) {
	held, release, err := m.hold(ctx, remote)
	if err != nil {
		return nil, err
	}
	defer release()
	args := []string{"ls-remote", "--quiet"}
	switch scope {
	case reference.Heads:
		args = append(args, "--heads")
	case reference.Tags:
		args = append(args, "--tags")
	case reference.Everything:
	}
	args = append(args, "--", "origin")
	var listing []byte
	err = held.repaired(ctx, func() error {
		return m.remotely(ctx, remote, func(set settings) (err error) {
			listing, err = m.git.output(ctx, call{dir: held.path, settings: set, args: args, limit: maxListing})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return parseListing(listing)
}

// parseListing joins the line of an annotated tag with that of its commit.
func parseListing(listing []byte) ([]reference.Ref, error) {
	const peeled = "^{}"
	var refs []reference.Ref
	lines := bufio.NewScanner(bytes.NewReader(listing))
	for lines.Scan() {
		hash, name, found := strings.Cut(lines.Text(), "\t")
		if !found || !isHash(hash) {
			return nil, &Error{Fault: Unreachable, Message: fmt.Sprintf("the remote listed a line that is no reference: %.80q", lines.Text())}
		}
		if len(hash) == sha256Length {
			return nil, &Error{Fault: Unsupported, Message: "the repository names its objects by SHA-256, which this build does not offer yet"}
		}
		if target, isPeeled := strings.CutSuffix(name, peeled); isPeeled {
			if last := len(refs) - 1; last >= 0 && refs[last].Name == target {
				refs[last].Peeled = hash
			}
			continue
		}
		refs = append(refs, reference.Ref{Name: name, Hash: hash})
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{Fault: Unreachable, Message: "the remote listed a reference with a name that is too long", Cause: err}
	}
	return refs, nil
}

const (
	sha1Length   = 40
	sha256Length = 64
)

func isHash(text string) bool {
	if len(text) != sha1Length && len(text) != sha256Length {
		return false
	}
	return strings.Trim(text, "0123456789abcdef") == ""
}
