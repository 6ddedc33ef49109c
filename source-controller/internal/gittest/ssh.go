// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittest

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSHServer serves the same repositories over SSH, with the git program behind
// the library's protocol.
type SSHServer struct {
	Address  string // host:port
	root     string
	hostKey  ssh.Signer
	accepted ssh.PublicKey
	identity crypto.PrivateKey

	mu       sync.Mutex
	commands []string
	behave   func(command string, channel ssh.Channel) (handled bool)
}

// SSH starts an SSH server of this server's repositories that ends with the test.
// It takes one key, see Identity.
func (s *Server) SSH(t testing.TB) *SSHServer {
	t.Helper()
	server := &SSHServer{root: s.root, hostKey: newSigner(t)}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	server.identity = private
	if server.accepted, err = ssh.NewPublicKey(private.Public()); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	server.Address = listener.Addr().String()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go server.handle(conn)
		}
	}()
	return server
}

func newSigner(t testing.TB) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// URL is the address of one repository.
func (s *SSHServer) URL(t testing.TB, name string) *url.URL {
	t.Helper()
	address, err := url.Parse("ssh://git@" + s.Address + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Identity is the private key that the server takes, locked with a passphrase
// unless that is empty.
func (s *SSHServer) Identity(t testing.TB, passphrase string) []byte {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(s.identity, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(s.identity, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

// KnownHosts is the server's line of known_hosts.
func (s *SSHServer) KnownHosts() []byte {
	return []byte(knownhosts.Line([]string{knownhosts.Normalize(s.Address)}, s.hostKey.PublicKey()) + "\n")
}

// Strangers is a line that knows the server's name by another key.
func (s *SSHServer) Strangers(t testing.TB) []byte {
	t.Helper()
	return []byte(knownhosts.Line([]string{knownhosts.Normalize(s.Address)}, newSigner(t).PublicKey()) + "\n")
}

// Behave runs a function in the place of a command; true means that it is done.
func (s *SSHServer) Behave(f func(command string, channel ssh.Channel) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behave = f
}

// Commands gives what was asked to run since the last call.
func (s *SSHServer) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	commands := s.commands
	s.commands = nil
	return commands
}

func (s *SSHServer) handle(raw net.Conn) {
	defer raw.Close()
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if bytes.Equal(key.Marshal(), s.accepted.Marshal()) {
			return nil, nil
		}
		return nil, errors.New("not this key")
	}}
	config.AddHostKey(s.hostKey)
	conn, channels, requests, err := ssh.NewServerConn(raw, config)
	if err != nil {
		return
	}
	defer conn.Close()
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests)
	}
}

func (s *SSHServer) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	defer channel.Close()
	var env []string
	for request := range requests {
		switch request.Type {
		case "env":
			var variable struct{ Name, Value string }
			ok := ssh.Unmarshal(request.Payload, &variable) == nil && variable.Name == "GIT_PROTOCOL"
			if ok {
				env = append(env, variable.Name+"="+variable.Value)
			}
			_ = request.Reply(ok, nil)
		case "exec":
			var command struct{ Line string }
			_ = request.Reply(ssh.Unmarshal(request.Payload, &command) == nil, nil)
			status := struct{ Code uint32 }{s.run(command.Line, env, channel)}
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(&status))
			return
		default:
			_ = request.Reply(false, nil)
		}
	}
}

// run runs git-upload-pack for a path below the root.
func (s *SSHServer) run(line string, env []string, channel ssh.Channel) uint32 {
	s.mu.Lock()
	s.commands = append(s.commands, line)
	behave := s.behave
	s.mu.Unlock()
	if behave != nil && behave(line, channel) {
		return 1
	}
	program, path, _ := strings.Cut(line, " ")
	if program != "git-upload-pack" {
		_, _ = io.WriteString(channel.Stderr(), "unknown command\n")
		return 127
	}
	command := exec.Command("git", "upload-pack", filepath.Join(s.root, strings.ReplaceAll(strings.Trim(path, "'"), `'\''`, "'")))
	command.Env = append(os.Environ(), env...)
	command.Stdout, command.Stderr = channel, channel.Stderr()
	in, err := command.StdinPipe()
	if err != nil || command.Start() != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(in, channel)
		_ = in.Close()
	}()
	if command.Wait() != nil {
		return 1
	}
	return 0
}
