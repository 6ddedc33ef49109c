// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered

import (
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"strings"
)

// Shape is what a mask tells of a value. The words and their meaning are a
// contract with the secrets-controller, whose rules have to come to the same
// result on a raw value and on its mask.
type Shape string

// The shapes.
const (
	Empty       Shape = "empty"
	Placeholder Shape = "placeholder" // asks to be replaced
	Reference   Shape = "reference"   // names the place of a value
	Encrypted   Shape = "encrypted"   // ciphertext
	Opaque      Shape = "opaque"      // anything else: to be taken for a secret
)

// ShapeOf says what a value looks like.
func ShapeOf(value string) Shape {
	text := strings.TrimSpace(value)
	switch {
	case text == "":
		return Empty
	case isEncrypted(text):
		return Encrypted
	case isReference(text):
		return Reference
	case placeholder.MatchString(text):
		return Placeholder
	default:
		return Opaque
	}
}

var placeholder = regexp.MustCompile(`(?i)^(` + strings.Join([]string{
	`(change|replace|fill)[-_ ]?(me|this|it|in)([-_ ][a-z]+)*`,
	`your([-_ ][a-z]+)*[-_ ](password|secret|token|key|value|user|name|id|host|domain|here)([-_ ]here)?`,
	`(insert|enter|put)[-_ ].*[-_ ]here`,
	`to[-_ ]?do|tbd|fix[-_ ]?me|place[-_ ]?holder|dummy|redacted`,
	`x{3,}|\*{3,}|\.{3,}`,
	`<[^<>]*>|\[[a-z _-]+\]|__[a-z0-9_]+__`,
}, "|") + `)$`)

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
// block in two bytes, the block, and an AES ciphertext with its tag.
func isSealed(text string) bool {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < 2 {
		return false
	}
	const smallest, largest, step, tag = 256, 1024, 128, 16
	block := int(binary.BigEndian.Uint16(raw))
	return block >= smallest && block <= largest && block%step == 0 && len(raw) >= 2+block+tag
}

var (
	// wholeReference: vals, bank-vaults, Argo CD's vault plugin, 1Password,
	// and resource names of clouds.
	wholeReference = regexp.MustCompile(`^(ref\+[a-z0-9]+://\S+|(>>)?vault:\S+#\S+|<path:[^<>]+>|op://\S+|` +
		`arn:aws[a-z-]*:[a-z0-9-]+:\S+|projects/[^/\s]+/secrets/\S+)$`)
	variable    = regexp.MustCompile(`\$\{[^{}]+\}|\$\([A-Za-z_][A-Za-z0-9_.-]*\)|\{\{[^{}]*\}\}`)
	urlPassword = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.:-]*://[^/?#\s]*?:([^/?#\s@]*)@`)
)

// isReference: a text with variables in it holds no secret only if the rest
// cannot be one: punctuation, a scheme of authentication, or a URL whose
// password is a variable.
func isReference(text string) bool {
	if wholeReference.MatchString(text) {
		return true
	}
	if !variable.MatchString(text) {
		return false
	}
	const mark = "\x00"
	rest := variable.ReplaceAllString(text, mark)
	if found := urlPassword.FindStringSubmatch(rest); found != nil {
		return strings.Trim(found[1], mark) == ""
	}
	rest = strings.TrimSpace(strings.ReplaceAll(rest, mark, ""))
	switch strings.ToLower(rest) {
	case "bearer", "basic", "token":
		return true
	}
	return strings.Trim(rest, " \t\r\n:;,.@/_-|") == ""
}
