// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/fluxcd/pkg/git/signature"
	"golang.org/x/crypto/ssh"
)

// Signer signs as somebody who exists for one test.
type Signer struct {
	signer signature.Signer
	Public []byte // as a Secret has it
}

// PGP makes a signer with an OpenPGP key.
func PGP(t testing.TB) Signer {
	t.Helper()
	entity, err := openpgp.NewEntity("Signer", "", "signer@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.NewOpenPGPSigner(entity)
	if err != nil {
		t.Fatal(err)
	}
	var public bytes.Buffer
	w, err := armor.Encode(&public, openpgp.PublicKeyType, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(entity.Serialize(w), w.Close()); err != nil {
		t.Fatal(err)
	}
	return Signer{signer, public.Bytes()}
}

// SSHKey makes a signer with an SSH key.
func SSHKey(t testing.TB) Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.NewSSHSigner(pem.EncodeToMemory(block), nil)
	if err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return Signer{signer, ssh.MarshalAuthorizedKey(public)}
}

// Armored is the signature over a text, ending with a line break.
func (s Signer) Armored(t testing.TB, text string) string {
	t.Helper()
	signed, err := s.signer.Sign(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(signed), "\n") + "\n"
}

// SignCommit is a commit's raw text with a signature in it.
func (s Signer) SignCommit(t testing.TB, raw string) string {
	t.Helper()
	head, body, _ := strings.Cut(raw, "\n\n")
	indented := strings.ReplaceAll(strings.TrimSuffix(s.Armored(t, raw), "\n"), "\n", "\n ")
	return head + "\ngpgsig " + indented + "\n\n" + body
}

// SignHead replaces the work tree's last commit by a signed one, and gives it.
func (r *Repository) SignHead(t testing.TB, signer Signer) string {
	t.Helper()
	raw := r.Git(t, "cat-file", "commit", "HEAD") + "\n"
	commit := r.Object(t, "commit", signer.SignCommit(t, raw))
	r.Git(t, "reset", "--quiet", "--hard", commit)
	return commit
}

// SignTag makes an annotated, signed tag of the last commit. The object says
// that it is the tag called inside.
func (r *Repository) SignTag(t testing.TB, signer Signer, name, inside string) {
	t.Helper()
	raw := fmt.Sprintf("object %s\ntype commit\ntag %s\ntagger Test <test@example.com> 1767225600 +0000\n\n%s\n",
		r.Git(t, "rev-parse", "HEAD"), inside, name)
	r.Git(t, "update-ref", "refs/tags/"+name, r.Object(t, "tag", raw+signer.Armored(t, raw)))
}

// Object stores raw text as an object.
func (r *Repository) Object(t testing.TB, kind, raw string) string {
	t.Helper()
	command := exec.Command("git", "hash-object", "-w", "-t", kind, "--stdin", "--literally")
	command.Dir = r.work
	command.Stdin = strings.NewReader(raw)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
