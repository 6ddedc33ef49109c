// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
)

func entity(t *testing.T, name, passphrase string) *openpgp.Entity {
	t.Helper()
	e, err := openpgp.NewEntity(name, "", name+"@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.AddSigningSubkey(nil); err != nil {
		t.Fatal(err)
	}
	if passphrase != "" {
		if err := e.EncryptPrivateKeys([]byte(passphrase), nil); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// TestSigner: a locked subkey signs too, and a ring of several needs a choice.
func TestSigner(t *testing.T) {
	locked, other := entity(t, "anna", "open sesame"), entity(t, "ben", "")
	ring := func(all ...*openpgp.Entity) []byte {
		var b bytes.Buffer
		for _, e := range all {
			if err := e.SerializePrivateWithoutSigning(&b, nil); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	tests := map[string]struct {
		reason, id, passphrase string
		ring                   []byte
		by                     *openpgp.Entity
	}{
		"locked":           {reason: "the subkey is locked as well", ring: ring(locked), passphrase: "open sesame", by: locked},
		"wrong passphrase": {reason: "said before anything is pushed", ring: ring(locked), passphrase: "guess"},
		"two keys":         {reason: "whose signature it is has to be chosen", ring: ring(locked, other)},
		"by id":            {reason: "as gpg prints it", ring: ring(locked, other), id: "0x" + strings.ToLower(other.PrimaryKey.KeyIdString()), by: other},
		"no such id":       {reason: "the ring's own are named", ring: ring(other), id: "ABCD"},
		"no ring":          {reason: "a public key, or a wrong file", ring: []byte("ssh-ed25519 AAAA")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			signer, err := Signer(tc.ring, tc.id, tc.passphrase)
			if tc.by == nil {
				if !errors.Is(err, ErrSigningKey) {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			signature, err := signer.Sign(strings.NewReader("tree 1"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := openpgp.CheckArmoredDetachedSignature(openpgp.EntityList{tc.by}, strings.NewReader("tree 1"), bytes.NewReader(signature), nil); err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
