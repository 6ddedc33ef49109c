// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		reason, url string
		insecure    bool
		refused     bool
	}{
		"https":         {reason: "the normal case", url: "https://git.example.com/a"},
		"ssh":           {reason: "a user is part of an ssh address", url: "ssh://git@git.example.com/a"},
		"http":          {reason: "it sends the credential in the open", url: "http://git.example.com/a", refused: true},
		"http, asked":   {reason: "who says so, may", url: "http://git.example.com/a", insecure: true},
		"password":      {reason: "it would get into Git", url: "https://me:pw@git.example.com/a", refused: true},
		"token as user": {reason: "the same", url: "https://ghp_x@git.example.com/a", refused: true},
		"scp form":      {reason: "the API refuses it later", url: "git@git.example.com:a", refused: true},
		"file":          {reason: "no server", url: "file:///etc", refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(tc.url, tc.insecure); errors.Is(err, ErrAddress) != tc.refused {
				t.Errorf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
		})
	}
}

func key(t *testing.T) ssh.PublicKey {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestHostKey: only what the known hosts say is trusted, and a key that changed
// is told from one that is not known.
func TestHostKey(t *testing.T) {
	known, other := key(t), key(t)
	c := Credential{KnownHosts: []byte(knownhosts.Line([]string{"[git.example.com]:2222"}, known) + "\n" + knownhosts.Line([]string{"git.example.com"}, known) + "\n")}
	tests := map[string]struct {
		reason, host     string
		key              ssh.PublicKey
		refused, changed bool
	}{
		"known":        {reason: "as listed", host: "git.example.com:22", key: known},
		"another port": {reason: "in brackets", host: "git.example.com:2222", key: known},
		"changed":      {reason: "somebody may be in between", host: "git.example.com:22", key: other, refused: true, changed: true},
		"unknown host": {reason: "no trust on first use", host: "evil.example.com:22", key: known, refused: true},
		"unknown port": {reason: "another server", host: "git.example.com:22022", key: known, refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := c.hostKey(tc.host, &net.TCPAddr{}, tc.key)
			var fault *HostKeyError
			if errors.As(err, &fault) != tc.refused {
				t.Fatalf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
			if fault != nil && fault.Changed != tc.changed {
				t.Errorf("%s: changed %v, want %v", tc.reason, fault.Changed, tc.changed)
			}
		})
	}
}

// TestLinksAreNotFollowed: a repository whose folder is a link is refused.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	script := "git init -q -b main . && mkdir real && ln -s real clusters && echo x > real/f && git add -A && git -c user.name=a -c user.email=a@example.com commit -q -m x"
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := open(t, dir)
	_, err := c.Commit(map[string][]byte{"clusters/prod/x.yaml": []byte("a: 1\n")}, "m", Author{Name: "a", Email: "a@example.com"}, time.Unix(0, 0))
	if !cluster.IsKind(err, cluster.Refused) {
		t.Errorf("want a refusal, got %v", err)
	}
	hash, err := c.Commit(map[string][]byte{"plain/x.yaml": []byte("a: 1\n")}, "m", Author{Name: "a", Email: "a@example.com"}, time.Unix(0, 0))
	if err != nil || hash == "" {
		t.Fatalf("a plain folder: %q, %v", hash, err)
	}
	if hash, err = c.Commit(map[string][]byte{"plain/x.yaml": []byte("a: 1\n")}, "m", Author{}, time.Unix(0, 0)); err != nil || hash != "" {
		t.Errorf("nothing changed, so nothing is committed: %q, %v", hash, err)
	}
	if strings.Contains(c.Head(), " ") || c.Head() == "" {
		t.Errorf("head %q", c.Head())
	}
}
