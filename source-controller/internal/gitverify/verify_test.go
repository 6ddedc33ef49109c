// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitverify

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/fluxcd/pkg/git/signature"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"golang.org/x/crypto/ssh"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitobject"
)

// signer signs as somebody, and gives the public half in the form of a Secret.
type signer struct {
	signature.Signer
	public []byte
}

func pgpSigner(t *testing.T) signer {
	t.Helper()
	entity, err := openpgp.NewEntity("Signer", "", "signer@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := signature.NewOpenPGPSigner(entity)
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
	return signer{made, public.Bytes()}
}

func sshSigner(t *testing.T) signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := signature.NewSSHSigner(pem.EncodeToMemory(block), nil)
	if err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return signer{made, ssh.MarshalAuthorizedKey(public)}
}

const hash = "1111111111111111111111111111111111111111"

// commit is a commit signed by somebody, nil for nobody.
func (s signer) commit(t *testing.T, text string) gitobject.Commit {
	t.Helper()
	payload := "tree " + hash + "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n" + text + "\n"
	if s.Signer == nil {
		return gitobject.ParseCommit(hash, []byte(payload))
	}
	head, body, _ := strings.Cut(payload, "\n\n")
	armored := strings.ReplaceAll(strings.TrimSuffix(s.sign(t, payload), "\n"), "\n", "\n ")
	return gitobject.ParseCommit(hash, []byte(head+"\ngpgsig "+armored+"\n\n"+body))
}

func (s signer) tag(t *testing.T, name string) *gitobject.Tag {
	t.Helper()
	payload := fmt.Sprintf("object %s\ntype commit\ntag %s\ntagger A <a> 1 +0000\n\nmessage\n", hash, name)
	if s.Signer != nil {
		payload += s.sign(t, payload)
	}
	tag := gitobject.ParseTag(hash, []byte(payload))
	return &tag
}

func (s signer) sign(t *testing.T, payload string) string {
	t.Helper()
	signed, err := s.Sign(strings.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(signed), "\n") + "\n"
}

func TestVerify(t *testing.T) {
	nobody, pgp, stranger, sshKey := signer{}, pgpSigner(t), pgpSigner(t), sshSigner(t)
	trust := map[string][]byte{"a.asc": stranger.public, "b.asc": pgp.public, "c.sshpub": append([]byte("# ours\n"), sshKey.public...)}
	tampered := pgp.commit(t, "text")
	tampered.Payload = append([]byte{}, tampered.Payload...)
	tampered.Payload[len(tampered.Payload)-2] ^= 1
	tests := map[string]struct {
		reason  string
		mode    sourcev1.GitVerificationMode
		subject Subject
		trust   map[string][]byte
		refused string
		final   bool
	}{
		"pgp":              {"any of several key rings", sourcev1.ModeGitHEAD, Subject{Commit: pgp.commit(t, "x")}, trust, "", false},
		"ssh":              {"any of several kinds", sourcev1.ModeGitHEAD, Subject{Commit: sshKey.commit(t, "x")}, trust, "", false},
		"legacy key":       {"a key without a suffix is a key ring", sourcev1.ModeGitHEAD, Subject{Commit: pgp.commit(t, "x")}, map[string][]byte{"key": pgp.public}, "", false},
		"mode of old":      {"head means HEAD", "head", Subject{Commit: pgp.commit(t, "x")}, trust, "", false},
		"unsigned":         {"nobody vouches", sourcev1.ModeGitHEAD, Subject{Commit: nobody.commit(t, "x")}, trust, InvalidCommit, false},
		"stranger":         {"a signature alone says nothing", sourcev1.ModeGitHEAD, Subject{Commit: stranger.commit(t, "x")}, map[string][]byte{"b.asc": pgp.public}, InvalidCommit, false},
		"tampered":         {"the bytes are not those that were signed", sourcev1.ModeGitHEAD, Subject{Commit: tampered}, trust, InvalidCommit, false},
		"wrong suffix":     {"an SSH key is none as a key ring", sourcev1.ModeGitHEAD, Subject{Commit: sshKey.commit(t, "x")}, map[string][]byte{"c.asc": sshKey.public}, InvalidCommit, false},
		"no keys":          {"an empty Secret trusts nobody", sourcev1.ModeGitHEAD, Subject{Commit: pgp.commit(t, "x")}, nil, InvalidCommit, false},
		"x509":             {"not known", sourcev1.ModeGitHEAD, Subject{Commit: gitobject.Commit{Signed: gitobject.Signed{Signature: "-----BEGIN SIGNED MESSAGE-----\n", Payload: []byte("x")}}}, trust, InvalidCommit, false},
		"tag":              {"the commit is not looked at", sourcev1.ModeGitTag, Subject{Commit: nobody.commit(t, "x"), TagName: "v1", Tag: pgp.tag(t, "v1")}, trust, "", false},
		"tag and head":     {"with different keys", sourcev1.ModeGitTagAndHEAD, Subject{Commit: pgp.commit(t, "x"), TagName: "v1", Tag: sshKey.tag(t, "v1")}, trust, "", false},
		"tag, head is not": {"both have to hold", sourcev1.ModeGitTagAndHEAD, Subject{Commit: nobody.commit(t, "x"), TagName: "v1", Tag: sshKey.tag(t, "v1")}, trust, InvalidCommit, false},
		"no tag":           {"a branch has none, and no push changes that", sourcev1.ModeGitTag, Subject{Commit: pgp.commit(t, "x")}, trust, InvalidMode, true},
		"lightweight":      {"only a name", sourcev1.ModeGitTag, Subject{Commit: pgp.commit(t, "x"), TagName: "v1"}, trust, InvalidObject, false},
		"unsigned tag":     {"annotated is not signed", sourcev1.ModeGitTag, Subject{TagName: "v1", Tag: nobody.tag(t, "v1")}, trust, InvalidObject, false},
		"stranger's tag":   {"not trusted", sourcev1.ModeGitTag, Subject{TagName: "v1", Tag: stranger.tag(t, "v1")}, map[string][]byte{"b.asc": pgp.public}, InvalidTag, false},
		"renamed tag":      {"an old release under a new name", sourcev1.ModeGitTag, Subject{TagName: "v2", Tag: pgp.tag(t, "v1")}, trust, InvalidTag, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			message, err := Verify(tc.mode, tc.subject, tc.trust)
			var refusal *Refusal
			if !errors.As(err, &refusal) {
				refusal = &Refusal{}
			}
			if refusal.Reason != tc.refused || refusal.Final != tc.final || (message == "") != (err != nil) {
				t.Errorf("%s: got %q, %v", tc.reason, message, err)
			}
		})
	}
}

// TestSSHNamespace: a signature that the same key made for another purpose, say
// over a file or a mail, is not one over a commit.
func TestSSHNamespace(t *testing.T) {
	key := sshSigner(t)
	commit := key.commit(t, "x")
	other := key.commit(t, "y")
	other.Payload = commit.Payload
	if _, err := Verify(sourcev1.ModeGitHEAD, Subject{Commit: other}, map[string][]byte{"k.sshpub": key.public}); err == nil {
		t.Error("a signature over other bytes was taken")
	}
}
