// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/pattern"
)

// Shape is all that a rule may know about a value.
type Shape = shape.Shape

// The shapes, in the words of api/shape, which the drift-controller uses too.
const (
	ShapeEmpty       = shape.Empty
	ShapePlaceholder = shape.Placeholder
	ShapeReference   = shape.Reference
	ShapeEncrypted   = shape.Encrypted
	ShapePublic      = shape.Public
	ShapeTrivial     = shape.Trivial
	ShapeOpaque      = shape.Opaque
)

// found lists what patterns see in a value, or what its masks carry.
func found(value string) []string { return shape.IDs(shape.Find(value, pattern.Scan)) }

// Evidence is a keyed digest of a value: of a mask the digest it carries, of
// a raw value an HMAC under the given key. Without a key a raw value has no
// evidence, since a plain hash of a short password can be guessed.
func Evidence(value string, key []byte) string {
	for _, m := range shape.Masks(value) {
		if m.Digest != "" {
			return m.Digest
		}
	}
	return keyedDigest(value, key)
}

// keyedDigest is short on purpose: it tells two values apart, and half a
// digest gives a guesser nothing to check a long list against without the key.
func keyedDigest(value string, key []byte) string {
	if len(key) == 0 || value == "" {
		return ""
	}
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte(value))
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
