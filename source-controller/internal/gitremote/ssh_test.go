// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

const passphrase = "p4ssphr4se"

func sshSecret(t *testing.T, server *gittest.SSHServer, name string) Remote {
	t.Helper()
	return secret(t, server.URL(t, name), map[string]string{
		"identity":    string(server.Identity(t, passphrase)),
		"password":    passphrase,
		"known_hosts": string(server.KnownHosts()),
	})
}

func TestSSH(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "group/it's r.git")
	first := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	shell := server.SSH(t)
	m := openMirrors(t, nil)
	remote := sshSecret(t, shell, "group/it's r.git")

	if commit, files := look(t, m, remote, "refs/heads/main"); commit != first || files["a"] != "1" {
		t.Fatalf("got %s with %v", commit, files)
	}
	if got := shell.Commands(); len(got) != 2 || got[0] != `git-upload-pack '/group/it'\''s r.git'` {
		t.Errorf("one listing and one transfer, got %q", got)
	}
	second := repository.Commit(t, "two", map[string]string{"a": "2"})
	repository.Push(t, "HEAD", "refs/heads/main")
	if commit, _ := look(t, m, remote, "refs/heads/main"); commit != second {
		t.Errorf("got %s, want %s", commit, second)
	}
	look(t, m, remote, "refs/heads/main")
	if got := shell.Commands(); len(got) != 3 {
		t.Errorf("an unchanged branch was transferred: %q", got)
	}
}

func TestSSHRefusals(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	shell, other := server.SSH(t), server.SSH(t)
	key, known := string(shell.Identity(t, "")), string(shell.KnownHosts())
	tests := map[string]struct {
		reason string
		path   string
		data   map[string]string
		fault  Fault
		kind   error
	}{
		"unknown host":    {"nobody vouches for it", "r.git", map[string]string{"identity": key, "known_hosts": string(other.KnownHosts())}, Unreachable, sshlink.ErrHostKey},
		"another host":    {"under the same name", "r.git", map[string]string{"identity": key, "known_hosts": string(shell.Strangers(t))}, Unreachable, sshlink.ErrHostKey},
		"no known hosts":  {"a file with nothing in it", "r.git", map[string]string{"identity": key, "known_hosts": "# none\n"}, Unreachable, sshlink.ErrHostKey},
		"another key":     {"not accepted", "r.git", map[string]string{"identity": string(other.Identity(t, "")), "known_hosts": known}, Unauthorized, sshlink.ErrRefused},
		"locked key":      {"no passphrase", "r.git", map[string]string{"identity": string(shell.Identity(t, passphrase)), "known_hosts": known}, Unauthorized, sshlink.ErrEncrypted},
		"wrong word":      {"does not open it", "r.git", map[string]string{"identity": string(shell.Identity(t, passphrase)), "password": "wr0ng-w0rd", "known_hosts": known}, Unauthorized, sshlink.ErrKey},
		"no key":          {"something else", "r.git", map[string]string{"identity": "n0-key", "known_hosts": known}, Unauthorized, sshlink.ErrKey},
		"no repository":   {"the host says so beside the protocol", "none.git", map[string]string{"identity": key, "known_hosts": known}, "", nil},
		"unreadable list": {"no line of it", "r.git", map[string]string{"identity": key, "known_hosts": "host ssh-ed25519 !!!\n"}, Unreachable, sshlink.ErrHostKey},
	}
	m := openMirrors(t, nil)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := m.List(t.Context(), secret(t, shell.URL(t, tc.path), tc.data), nil)
			if err == nil {
				t.Fatalf("%s: was listed", tc.reason)
			}
			if tc.fault != "" && FaultOf(err) != tc.fault {
				t.Errorf("%s: got fault %s: %v", tc.reason, FaultOf(err), err)
			}
			if !is(err, tc.kind) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			for _, value := range []string{"wr0ng-w0rd", "n0-key", "PRIVATE KEY"} {
				if strings.Contains(err.Error(), value) {
					t.Errorf("the error carries a value: %v", err)
				}
			}
		})
	}
}

func TestSSHAlgorithms(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	shell := server.SSH(t)
	for name, algorithms := range map[string]sshlink.Algorithms{
		"key exchange": {KeyExchanges: []string{ssh.InsecureKeyExchangeDH1SHA1}},
		"host key":     {HostKeys: []string{ssh.KeyAlgoECDSA256}},
	} {
		m := openMirrors(t, func(c *Config) { c.Algorithms = algorithms })
		if _, err := m.List(t.Context(), sshSecret(t, shell, "r.git"), nil); err == nil {
			t.Errorf("%s: something else than what is allowed was negotiated", name)
		}
	}
	m := openMirrors(t, func(c *Config) {
		c.Algorithms = sshlink.Algorithms{KeyExchanges: []string{ssh.KeyExchangeCurve25519}, HostKeys: []string{ssh.KeyAlgoED25519}}
	})
	if _, err := m.List(t.Context(), sshSecret(t, shell, "r.git"), nil); err != nil {
		t.Errorf("what is allowed and offered: %v", err)
	}
}

// TestSSHHangs: a host that takes the connection and says nothing, before or
// in the middle of a transfer, costs no more than the time that it is given.
func TestSSHHangs(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	commit := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	shell := server.SSH(t)
	m := openMirrors(t, nil)
	remote := sshSecret(t, shell, "r.git")
	shell.Behave(func(_ string, channel ssh.Channel) bool {
		_, _ = io.Copy(io.Discard, channel) // until the client hangs up
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := m.List(ctx, remote, nil); FaultOf(err) != TimedOut {
		t.Errorf("a listing: got %v, want fault TimedOut", err)
	}
	choice := reference.Choice{Ref: "refs/heads/main", Commit: commit}
	if _, err := m.Checkout(t.Context(), remote, choice, time.Now().Add(time.Second)); FaultOf(err) != TimedOut {
		t.Errorf("a transfer: got %v, want fault TimedOut", err)
	}
	shell.Behave(nil)
	if got, _ := take(t, m, remote, choice); got != commit {
		t.Errorf("the mirror is stuck: got %s", got)
	}
}

// TestProxies: connections go through the object's proxy, and only there.
func TestProxies(t *testing.T) {
	server := gittest.Serve(t)
	secure, listener := gittest.ServeTLS(t)
	for _, s := range []*gittest.Server{server, secure} {
		repository := s.Create(t, "r.git")
		repository.Commit(t, "one", map[string]string{"a": "1"})
		repository.Push(t, "HEAD", "refs/heads/main")
	}
	shell := server.SSH(t)
	web, socks := gittest.HTTPProxy(t), gittest.SOCKSProxy(t)
	remotes := map[string]Remote{
		"http":  {Address: server.Address(t, "r.git")},
		"https": secret(t, secure.Address(t, "r.git"), map[string]string{"ca.crt": authority(listener)}),
		"ssh":   sshSecret(t, shell, "r.git"),
	}
	m := openMirrors(t, func(c *Config) { c.Environ = append(c.Environ, "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1") })
	for scheme, remote := range remotes {
		for kind, proxy := range map[string]*gittest.Proxy{"http": web, "socks": socks} {
			t.Run(scheme+" through "+kind, func(t *testing.T) {
				address := *proxy.URL
				address.User = url.UserPassword(gittest.ProxyUser, gittest.ProxyPassword)
				through := Remote{Address: remote.Address, Auth: remote.Auth.WithProxy(&address)}
				proxy.Passed()
				look(t, m, through, "refs/heads/main")
				passed := proxy.Passed()
				if len(passed) < 2 || passed[0] != remote.Address.Host {
					t.Errorf("a listing and a transfer pass, got %q", passed)
				}
				address.User = url.UserPassword(gittest.ProxyUser, "wr0ng-p4ss")
				_, err := m.List(t.Context(), Remote{Address: remote.Address, Auth: remote.Auth.WithProxy(&address)}, nil)
				if err == nil || strings.Contains(err.Error(), "wr0ng") {
					t.Errorf("a wrong password: got %v", err)
				}
			})
		}
	}
	dead := &url.URL{Scheme: "http", Host: "127.0.0.1:1", User: url.UserPassword("u", "d34d-p4ss")}
	_, err := m.List(t.Context(), Remote{Address: server.Address(t, "r.git"), Auth: credentials.Auth{}.WithProxy(dead)}, nil)
	if FaultOf(err) != Unreachable || strings.Contains(err.Error(), "d34d") {
		t.Errorf("a proxy that is not there: got %v", err)
	}
}
