// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sshlink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// maxSaid bounds what is kept of a server's error output.
const maxSaid = 4 << 10

// Session is a program that runs on the other side.
type Session struct {
	In   io.WriteCloser
	Out  io.Reader
	said *said

	client  *ssh.Client
	session *ssh.Session
	stop    func() bool
}

// Start runs a service for the repository in the host's address. The session
// ends with the context.
func Start(ctx context.Context, host Host, service, protocol string) (*Session, error) {
	client, err := dial(ctx, host)
	if err != nil {
		return nil, err
	}
	s := &Session{client: client, said: &said{}}
	s.stop = context.AfterFunc(ctx, func() { _ = client.Close() })
	if err := s.run(service+" "+quoted(remotePath(host.Address)), protocol); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreachable, host.Address.Host, err)
	}
	return s, nil
}

func (s *Session) run(command, protocol string) (err error) {
	if s.session, err = s.client.NewSession(); err != nil {
		return err
	}
	// A server that does not take variables speaks an older protocol.
	_ = s.session.Setenv("GIT_PROTOCOL", protocol)
	s.session.Stderr = s.said
	if s.In, err = s.session.StdinPipe(); err != nil {
		return err
	}
	if s.Out, err = s.session.StdoutPipe(); err != nil {
		return err
	}
	return s.session.Start(command)
}

// Said is the end of what the program wrote as errors, once it ended.
func (s *Session) Said() string { return s.said.String() }

// Wait waits for the program's end.
func (s *Session) Wait() error {
	err := s.session.Wait()
	var exit *ssh.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the remote program ended with code %d", exit.ExitStatus())
	}
	return err
}

// Close ends program and connection.
func (s *Session) Close() {
	s.stop()
	_ = s.client.Close()
}

// remotePath is the path as the remote's shell is to see it: one that begins
// with somebody's home has no slash before it.
func remotePath(address *url.URL) string {
	if strings.HasPrefix(address.Path, "/~") {
		return address.Path[1:]
	}
	return address.Path
}

// quoted is a path as one word of the remote's shell.
func quoted(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// said keeps the end of a text.
type said struct {
	mu   sync.Mutex
	kept []byte
}

func (t *said) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - maxSaid; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *said) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
