// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sshlink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Variable names the socket in the environment of a program that is to be a
// pipe. It carries no secret: the socket lies in a private folder.
const Variable = "HOLDFAST_SSH_SOCKET"

// Pipe carries bytes between the standard streams and a socket. It is what our
// own binary does when git starts it in the place of ssh; git's arguments do not
// matter, since whoever listens knows the host.
func Pipe(socket string, in io.Reader, out io.Writer) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return fmt.Errorf("the process that started this one is gone: %w", err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(conn, in)
		// The other side still has something to say after our last word.
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	_, err = io.Copy(out, conn)
	return err
}

// Socket listens for pipes, and gives each a session of its own.
type Socket struct {
	Path     string
	folder   string
	listener net.Listener
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	failure error
}

// Listen opens a socket for one host.
func Listen(ctx context.Context, host Host, service, protocol string) (*Socket, error) {
	// Paths of sockets are short, so the folder does not lie deep.
	folder, err := os.MkdirTemp("", "hf-ssh-")
	if err != nil {
		return nil, err
	}
	s := &Socket{Path: filepath.Join(folder, "s"), folder: folder}
	if s.listener, err = net.Listen("unix", s.Path); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.running.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.running.Go(func() { s.serve(ctx, conn, host, service, protocol) })
		}
	})
	return s, nil
}

// Err is the first failure of a session; git knows only that its pipe ended.
func (s *Socket) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// Close ends all sessions.
func (s *Socket) Close() {
	s.cancel()
	_ = s.listener.Close()
	s.running.Wait()
	_ = os.RemoveAll(s.folder)
}

func (s *Socket) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
}

func (s *Socket) serve(ctx context.Context, conn net.Conn, host Host, service, protocol string) {
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	session, err := Start(ctx, host, service, protocol)
	if err != nil {
		s.fail(err)
		return
	}
	defer session.Close()
	go func() {
		_, _ = io.Copy(session.In, conn)
		_ = session.In.Close()
	}()
	_, _ = io.Copy(conn, session.Out)
	if err := session.Wait(); err != nil && ctx.Err() == nil {
		s.fail(fmt.Errorf("%w: %s", err, session.Said()))
	}
}
