// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitserver

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSH serves the repositories below a folder over SSH, to one key.
type SSH struct {
	Address string

	root     string
	accepted ssh.PublicKey
	listener net.Listener

	mu      sync.Mutex
	hostKey ssh.Signer
}

// Key makes a pair, as a client or a server has one.
func Key() (ssh.Signer, ed25519.PrivateKey, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("a key: %w", err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	return signer, private, err
}

// PEM of a private key, locked by a passphrase unless that is empty.
func PEM(private ed25519.PrivateKey, passphrase string) ([]byte, error) {
	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a private key: %w", err)
	}
	return pem.EncodeToMemory(block), nil
}

// StartSSH serves a folder to whoever has this key, for reading and writing.
func StartSSH(dir string, accepted ssh.PublicKey) (*SSH, error) {
	s := &SSH{root: dir, accepted: accepted}
	if err := s.ChangeHostKey(); err != nil {
		return nil, err
	}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("listening for the SSH server: %w", err)
	}
	s.Address = s.listener.Addr().String()
	go s.serve()
	return s, nil
}

// URL is where a repository is served.
func (s *SSH) URL(name string) string { return "ssh://git@" + s.Address + "/" + name }

// KnownHosts is the line that a client knows the server by, as of now.
func (s *SSH) KnownHosts() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return KnownHosts(s.Address, s.hostKey.PublicKey())
}

// KnownHosts is the line that says that an address has a key.
func KnownHosts(address string, key ssh.PublicKey) []byte {
	return []byte(knownhosts.Line([]string{knownhosts.Normalize(address)}, key) + "\n")
}

// ChangeHostKey gives the server another key, as a reinstalled one has, or
// somebody in between.
func (s *SSH) ChangeHostKey() error {
	key, _, err := Key()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hostKey = key
	return nil
}

// Stop ends the server.
func (s *SSH) Stop() error { return s.listener.Close() }

func (s *SSH) serve() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.handle(conn)
	}
}

func (s *SSH) config() *ssh.ServerConfig {
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if bytes.Equal(key.Marshal(), s.accepted.Marshal()) {
			return nil, nil
		}
		return nil, errors.New("not this key")
	}}
	s.mu.Lock()
	defer s.mu.Unlock()
	config.AddHostKey(s.hostKey)
	return config
}

func (s *SSH) handle(raw net.Conn) {
	defer raw.Close()
	conn, channels, requests, err := ssh.NewServerConn(raw, s.config())
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

func (s *SSH) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	defer channel.Close()
	var env []string
	for request := range requests {
		switch request.Type {
		case "env":
			var variable struct{ Name, Value string }
			if ssh.Unmarshal(request.Payload, &variable) == nil && variable.Name == "GIT_PROTOCOL" {
				env = append(env, variable.Name+"="+variable.Value)
			}
			_ = request.Reply(true, nil)
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

// run runs one of Git's two programs for a path below the root, and nothing else.
func (s *SSH) run(line string, env []string, channel ssh.Channel) uint32 {
	program, path, _ := strings.Cut(line, " ")
	if !slices.Contains([]string{"git-upload-pack", "git-receive-pack"}, program) {
		_, _ = io.WriteString(channel.Stderr(), "unknown command\n")
		return 127
	}
	repository := filepath.Join(s.root, filepath.Clean("/"+strings.Trim(path, "'")))
	command := exec.Command("git", strings.TrimPrefix(program, "git-"), repository)
	command.Env = append(append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull), env...)
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
