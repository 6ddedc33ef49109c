// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitwire"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

// overSSH runs git with a socket in the place of ssh. The address that git gets
// says nothing; the session knows its host.
func (m *Mirrors) overSSH(ctx context.Context, remote Remote, operation func(settings) error) error {
	socket, err := sshlink.Listen(ctx, m.host(remote), gitwire.Service, gitwire.Protocol)
	if err != nil {
		return &Error{Fault: Broken, Message: "cannot prepare a connection", Cause: err}
	}
	defer socket.Close()
	err = operation(settings{
		"remote.origin.url":    "ssh://holdfast/repository",
		"remote.origin.tagOpt": "--no-tags",
		sshProgram:             m.ssh.program,
		sshSocket:              socket.Path,
	})
	if why := socket.Err(); why != nil && err != nil && FaultOf(err) != TimedOut && FaultOf(err) != TooLarge {
		// Git knows only that its pipe ended.
		return wireFault(ctx, why)
	}
	return err
}
