// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/go-git/go-git/v5"
)

// ErrSigningKey is a key ring that no commit can be signed with.
var ErrSigningKey = errors.New("--gpg-key-ring")

// pgp signs what a commit consists of.
type pgp struct{ entity *openpgp.Entity }

// Sign gives an armoured, detached signature.
func (s pgp) Sign(message io.Reader) ([]byte, error) {
	var b bytes.Buffer
	err := openpgp.ArmoredDetachSign(&b, s.entity, message, nil)
	return b.Bytes(), err
}

// Signer takes a key from a ring, armoured or not: the one with this id, or the
// only one. A subkey may be what signs, so that each private part is unlocked.
func Signer(ring []byte, id, passphrase string) (git.Signer, error) {
	read := openpgp.ReadKeyRing
	if bytes.HasPrefix(bytes.TrimSpace(ring), []byte("-----BEGIN")) {
		read = openpgp.ReadArmoredKeyRing
	}
	all, err := read(bytes.NewReader(ring))
	if err != nil {
		return nil, fmt.Errorf("%w is no ring of private keys: %w; write one with gpg --export-secret-keys", ErrSigningKey, err)
	}
	entity, err := choose(all, strings.ToUpper(strings.TrimPrefix(strings.ToLower(id), "0x")))
	if err != nil {
		return nil, err
	}
	if err := entity.DecryptPrivateKeys([]byte(passphrase)); err != nil {
		return nil, fmt.Errorf("%w: key %s does not open: give its passphrase by GPG_PASSPHRASE or --gpg-passphrase-file", ErrSigningKey, entity.PrimaryKey.KeyIdString())
	}
	if _, able := entity.SigningKey(time.Now()); !able {
		return nil, fmt.Errorf("%w: key %s cannot sign, or has expired", ErrSigningKey, entity.PrimaryKey.KeyIdString())
	}
	return pgp{entity}, nil
}

func choose(all openpgp.EntityList, id string) (*openpgp.Entity, error) {
	var found []*openpgp.Entity
	var ids []string
	for _, e := range all {
		if e.PrivateKey == nil {
			continue
		}
		ids = append(ids, e.PrimaryKey.KeyIdString())
		if id == "" || hasKey(e, id) {
			found = append(found, e)
		}
	}
	switch {
	case len(ids) == 0:
		return nil, fmt.Errorf("%w holds no private key", ErrSigningKey)
	case len(found) != 1:
		return nil, fmt.Errorf("%w: name one of its keys with --gpg-key-id: %s", ErrSigningKey, strings.Join(ids, ", "))
	}
	return found[0], nil
}

// hasKey: an id is the end of a fingerprint, of the key or of one of its subkeys.
func hasKey(e *openpgp.Entity, id string) bool {
	if strings.HasSuffix(fmt.Sprintf("%X", e.PrimaryKey.Fingerprint), id) {
		return true
	}
	for _, sub := range e.Subkeys {
		if strings.HasSuffix(fmt.Sprintf("%X", sub.PublicKey.Fingerprint), id) {
			return true
		}
	}
	return false
}
