// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"regexp"
	"strings"
	"time"
)

// encrypted is how SOPS writes an encrypted value.
var encrypted = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([a-z]+)\]$`)

// comment is the kind of an encrypted comment, which is no part of the sum.
const comment = "comment"

// sealed is one encrypted value.
type sealed struct {
	data, iv []byte
	kind     string
}

func parseSealed(text string) (sealed, bool) {
	parts := encrypted.FindStringSubmatch(text)
	if parts == nil {
		return sealed{}, false
	}
	var decoded [3][]byte
	for i := range decoded {
		var err error
		if decoded[i], err = base64.StdEncoding.DecodeString(parts[i+1]); err != nil {
			return sealed{}, false
		}
	}
	return sealed{data: append(decoded[0], decoded[2]...), iv: decoded[1], kind: parts[4]}, true
}

// opener decrypts the values of one file and sums up what it saw.
type opener struct {
	block cipher.Block
	sum   hash.Hash
	// onlyEncrypted: values in the clear are no part of the sum.
	onlyEncrypted bool
	// opened are the values that were encrypted.
	opened []string
}

// onlyEncryptedStart makes the sum over encrypted values another one than that
// over all values, in files that have no others: the SHA-256 of "sops".
const onlyEncryptedStart = "8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69"

func newOpener(key []byte, onlyEncrypted bool) (*opener, bool) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, false
	}
	o := &opener{block: block, sum: sha512.New(), onlyEncrypted: onlyEncrypted}
	if onlyEncrypted {
		start, _ := hex.DecodeString(onlyEncryptedStart) // a constant
		_, _ = o.sum.Write(start)
	}
	return o, true
}

// open decrypts a value. The path is authenticated with it, so that a value
// cannot be moved to another key.
func (o *opener) open(s sealed, additional string) (string, bool) {
	gcm, err := cipher.NewGCMWithNonceSize(o.block, len(s.iv))
	if err != nil {
		return "", false
	}
	plain, err := gcm.Open(nil, s.iv, s.data, []byte(additional))
	return string(plain), err == nil
}

// leaf opens a value of the file if it is encrypted; line is for the caller's
// error, plain is how an unencrypted value counts in the sum.
func (o *opener) leaf(text, plain string, path []string) (value, kind string, ok bool) {
	s, is := parseSealed(text)
	if !is {
		if !o.onlyEncrypted {
			_, _ = o.sum.Write([]byte(plain))
		}
		return text, "", true
	}
	value, ok = o.open(s, strings.Join(path, ":")+":")
	if !ok {
		return "", "", false
	}
	if s.kind != comment {
		_, _ = o.sum.Write([]byte(value))
	}
	o.opened = append(o.opened, value)
	return value, s.kind, true
}

// verify compares the sum with the one in the file.
func (o *opener) verify(m metadata) bool {
	s, is := parseSealed(m.MAC)
	if !is {
		return false
	}
	additional := m.LastModified
	if at, err := time.Parse(time.RFC3339, additional); err == nil {
		additional = at.Format(time.RFC3339)
	}
	want, ok := o.open(s, additional)
	got := strings.ToUpper(hex.EncodeToString(o.sum.Sum(nil)))
	return ok && subtle.ConstantTimeCompare([]byte(want), []byte(got)) == 1
}
