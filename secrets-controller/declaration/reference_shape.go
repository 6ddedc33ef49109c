// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// wholeReference matches values that other tools replace as a whole: vals,
// bank-vaults, the Argo CD Vault plugin, 1Password, and cloud resource names.
var wholeReference = regexp.MustCompile(`^(` +
	`ref\+[a-z0-9]+://\S+|` +
	`(>>)?vault:\S+#\S+|` +
	`<path:[^<>]+>|` +
	`op://\S+|` +
	`arn:aws[a-z-]*:[a-z0-9-]+:\S+|` +
	`projects/[^/\s]+/secrets/\S+` +
	`)$`)

// variable matches the references that are substituted inside a text.
var variable = regexp.MustCompile(`\$\{[^{}]+\}|\$\([A-Za-z_][A-Za-z0-9_.-]*\)|\{\{[^{}]*\}\}`)

// userinfoPassword finds the password in the authority of a URL.
var userinfoPassword = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.:-]*://[^/?#\s]*?:([^/?#\s@]*)@`)

// isReference says whether a text only names places of values. A text with
// variables and more is a reference only when the rest cannot hold the
// secret: nothing, punctuation, an authentication scheme, or a URL whose
// password is itself a variable.
func isReference(text string) bool {
	if wholeReference.MatchString(text) {
		return true
	}
	if !variable.MatchString(text) {
		return false
	}
	const mark = "\x00"
	rest := variable.ReplaceAllString(text, mark)
	if m := userinfoPassword.FindStringSubmatch(rest); m != nil {
		return strings.Trim(m[1], mark) == ""
	}
	rest = strings.TrimSpace(strings.ReplaceAll(rest, mark, ""))
	switch strings.ToLower(rest) {
	case "bearer", "basic", "token":
		return true
	}
	return strings.Trim(rest, " \t\r\n:;,.@/_-|") == ""
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
