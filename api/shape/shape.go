// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"regexp"
	"strings"
	"sync"
)

// Shape is what a mask tells of a value.
type Shape string

// The shapes.
const (
	// Empty: no value at all.
	Empty Shape = "empty"
	// Placeholder: a text that asks to be replaced.
	Placeholder Shape = "placeholder"
	// Reference: names the place of a value, and holds none.
	Reference Shape = "reference"
	// Encrypted: ciphertext of SOPS, Sealed Secrets, age or PGP.
	Encrypted Shape = "encrypted"
	// Public: a certificate, a public key, a digest, an identifier.
	Public Shape = "public"
	// Trivial: a switch, a number, a duration, a path.
	Trivial Shape = "trivial"
	// Opaque: anything else, to be taken for a secret.
	Opaque Shape = "opaque"
)

// Of reads the shape off a mask, or classifies a raw value.
func Of(value string) Shape {
	if masks := Masks(value); len(masks) > 0 {
		return worst(masks)
	}
	text := strings.TrimSpace(value)
	switch {
	case text == "":
		return Empty
	case isEncrypted(text):
		return Encrypted
	case isReference(text):
		return Reference
	case placeholder().MatchString(text):
		return Placeholder
	case isPublic(text):
		return Public
	case trivial().MatchString(text):
		return Trivial
	}
	return Opaque
}

// rank orders shapes by how much they may hide.
var rank = map[Shape]int{Empty: 0, Reference: 1, Encrypted: 2, Public: 3, Trivial: 4, Placeholder: 5, Opaque: 6}

// worst judges a text by the most telling mask within it.
func worst(masks []Mask) Shape {
	shape := Empty
	for _, m := range masks {
		if rank[m.Shape] > rank[shape] {
			shape = m.Shape
		}
	}
	return shape
}

var placeholder = lazy(`(?i)^(` + strings.Join([]string{
	`(change|replace|fill)[-_ ]?(me|this|it|in)([-_ ][a-z]+)*`,
	`your([-_ ][a-z]+)*[-_ ](password|secret|token|key|value|user|name|id|host|domain|here)([-_ ]here)?`,
	`(insert|enter|put)[-_ ].*[-_ ]here`,
	`to[-_ ]?do|tbd|fix[-_ ]?me|place[-_ ]?holder|dummy|redacted`,
	`x{3,}|\*{3,}|\.{3,}`,
	`<[^<>]*>|\[[a-z _-]+\]|__[a-z0-9_]+__`,
}, "|") + `)$`)

// trivial: a number of four digits or more may be a PIN, so whoever knows the
// name it stands under has to look twice (see Tells).
var trivial = lazy(`(?i)^(true|false|yes|no|on|off|null|none|nil|enabled|disabled|` +
	`[+-]?\d+(\.\d+)?([smhdw%]|ms|[kmgt]i?b?)?|(\d+(\.\d+)?(ns|us|ms|s|m|h))+|` +
	`(/|\./|\.\./|~/)[\w.@%+-]+(/[\w.@%+-]+)*/?|/|file://\S+)$`)

// isEncrypted goes by the armour of ciphertext, never by how random it looks:
// so does a good password.
func isEncrypted(text string) bool {
	if strings.HasPrefix(text, "ENC[") && strings.HasSuffix(text, "]") {
		return true
	}
	for _, armour := range []string{"-----BEGIN AGE ENCRYPTED FILE-----", "-----BEGIN PGP MESSAGE-----", "$ANSIBLE_VAULT;"} {
		if strings.HasPrefix(text, armour) {
			return true
		}
	}
	sopsFile := strings.Contains(text, "ENC[AES256_GCM,") && strings.Contains(text, "sops") && strings.Contains(text, "mac")
	return sopsFile || isSealed(text)
}

// isSealed knows the layout of kubeseal's ciphertext: the length of an RSA
// block in two bytes (keys of 2048 to 8192 bits), the block, and an AES
// ciphertext with its tag.
func isSealed(text string) bool {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < 2 {
		return false
	}
	const smallest, largest, step, tag = 256, 1024, 128, 16
	block := int(binary.BigEndian.Uint16(raw))
	return block >= smallest && block <= largest && block%step == 0 && len(raw) >= 2+block+tag
}

// publicText are identifiers and public keys that look random.
var publicText = lazy(`^(` + strings.Join([]string{
	`(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-ssh-\S+) [A-Za-z0-9+/=]+( .*)?`,
	`(\S+ )?(ssh-(rsa|ed25519)|ecdsa-sha2-\S+) [A-Za-z0-9+/=]+`,
	`age1[a-z0-9]{50,}`, `pk_(test|live)_[A-Za-z0-9]+`,
	`(\S+@)?sha(256|512):[0-9a-f]{64,128}`,
	`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
	`arn:aws[a-z-]*:\S+`, `https://[0-9a-f]{32}@[^/\s:]+/\d+`,
}, "|") + `)$`)

// isPublic recognises PEM whose blocks are all public, and publicText.
func isPublic(text string) bool {
	if !strings.HasPrefix(text, "-----BEGIN ") {
		return publicText().MatchString(text)
	}
	rest := []byte(text)
	blocks := 0
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return blocks > 0 && len(strings.TrimSpace(string(rest))) == 0
		}
		switch block.Type {
		case "CERTIFICATE", "TRUSTED CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "X509 CRL", "CERTIFICATE REQUEST", "PGP PUBLIC KEY BLOCK":
			blocks++
		default:
			return false
		}
	}
}

// lazy compiles an expression when it is first used: there are many, and most
// programs that know of them look at no text.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
