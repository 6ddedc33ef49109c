// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strings"
)

// Shape is all that a rule may know about a value.
type Shape string

// The shapes, in the words that the masks of a rendered artifact use.
const (
	// ShapeEmpty: no value at all.
	ShapeEmpty Shape = "empty"
	// ShapePlaceholder: a text that asks to be replaced.
	ShapePlaceholder Shape = "placeholder"
	// ShapeReference: names the place of a value, and holds none.
	ShapeReference Shape = "reference"
	// ShapeEncrypted: ciphertext of SOPS, Sealed Secrets, age or PGP.
	ShapeEncrypted Shape = "encrypted"
	// ShapeOpaque: anything else, to be taken for a secret.
	ShapeOpaque Shape = "opaque"
)

// mask is how a value looks after the drift-controller has masked it: the
// shape, a keyed digest, and possibly more words that this version ignores.
var mask = regexp.MustCompile(`\(masked ([a-z]+)((?: [^()]*)?)\)`)

var maskDigest = regexp.MustCompile(`\bhmac:([0-9a-fA-F]+)`)

// ShapeOf reads the shape off a mask, or classifies a raw value: a rule sees
// the same shape whether it runs before or after masking.
func ShapeOf(value string) Shape {
	if masks := mask.FindAllStringSubmatch(value, -1); masks != nil {
		return shapeOfMasks(masks)
	}
	text := strings.TrimSpace(value)
	switch {
	case text == "":
		return ShapeEmpty
	case isEncrypted(text):
		return ShapeEncrypted
	case isReference(text):
		return ShapeReference
	case placeholder.MatchString(text):
		return ShapePlaceholder
	}
	return ShapeOpaque
}

// shapeOfMasks judges a text by the most telling mask within it. A word from
// a newer drift-controller that is not known here counts as opaque: what is
// not understood is never taken for harmless.
func shapeOfMasks(masks [][]string) Shape {
	shape := ShapeEmpty
	rank := map[Shape]int{ShapeEmpty: 0, ShapeReference: 1, ShapeEncrypted: 2, ShapePlaceholder: 3, ShapeOpaque: 4}
	for _, m := range masks {
		found := Shape(m[1])
		if _, known := rank[found]; !known {
			found = ShapeOpaque
		}
		if rank[found] > rank[shape] {
			shape = found
		}
	}
	return shape
}

var placeholder = regexp.MustCompile(`(?i)^(` +
	`(change|replace|fill)[-_ ]?(me|this|it|in)([-_ ][a-z]+)*|` +
	`your([-_ ][a-z]+)*[-_ ](password|secret|token|key|value|user|name|id|host|domain|here)([-_ ]here)?|` +
	`(insert|enter|put)[-_ ].*[-_ ]here|` +
	`to[-_ ]?do|tbd|fix[-_ ]?me|place[-_ ]?holder|dummy|redacted|` +
	`x{3,}|\*{3,}|\.{3,}|` +
	`<[^<>]*>|\[[a-z _-]+\]|__[a-z0-9_]+__` +
	`)$`)

// isEncrypted recognises ciphertext by its armour, never by its entropy.
func isEncrypted(text string) bool {
	if strings.HasPrefix(text, "ENC[") && strings.HasSuffix(text, "]") {
		return true
	}
	for _, armour := range []string{
		"-----BEGIN AGE ENCRYPTED FILE-----", "-----BEGIN PGP MESSAGE-----", "$ANSIBLE_VAULT;",
	} {
		if strings.HasPrefix(text, armour) {
			return true
		}
	}
	return isSealed(text) || isSOPSDocument(text)
}

// isSealed recognises what kubeseal writes: base64 of a two-byte length, an
// RSA block of that length (keys of 2048 to 8192 bits) and the AES ciphertext
// with its tag.
func isSealed(text string) bool {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < 2 {
		return false
	}
	block := int(binary.BigEndian.Uint16(raw))
	const tag = 16
	return block >= 256 && block <= 1024 && block%128 == 0 && len(raw) >= 2+block+tag
}

// isSOPSDocument recognises a whole file of SOPS (YAML, JSON, dotenv) that
// was put into one key, as kustomize's generators do.
func isSOPSDocument(text string) bool {
	return strings.Contains(text, "ENC[AES256_GCM,") &&
		strings.Contains(text, "sops") && strings.Contains(text, "mac")
}

// Evidence is a keyed digest of a value: of a mask the digest it carries, of
// a raw value an HMAC under the given key. Without a key a raw value has no
// evidence, since a plain hash of a short password can be guessed.
func Evidence(value string, key []byte) string {
	if m := maskDigest.FindStringSubmatch(value); m != nil && mask.MatchString(value) {
		return m[1]
	}
	return keyedDigest(value, key)
}
