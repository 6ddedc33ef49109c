// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"slices"
	"strings"
)

// announcing are parts of which every name that announces a secret has one.
// Most names have none, and a search costs less than an expression.
var announcing = []string{"pass", "pwd", "secret", "token", "key", "credential", "dsn", "connection"}

var (
	// sensitive are names of fields, keys and variables that announce a secret.
	sensitive = lazy(`(?i)(passw(or)?d|passphrase|\bpwd|_pwd|secret|token|api[-_.]?key|private[-_.]?key|access[-_.]?key|credential|auth[-_.]?key|encryption[-_.]?key|signing[-_.]?key|signature[-_.]?key|master[-_.]?key|dsn$|connection[-_.]?string|storepass|keypass)`)
	// referring names speak about a secret and do not hold one.
	referring = lazy(`(?i)(name|ref|file|path|dir|ttl|url|uri|host|mount|enabled|disabled|policy|type|kind|class|store|length|size|count|limit|expiry|expiration|expires(_?at)?|seconds|minutes|interval|timeout|account|version|provider|issuer|audience|endpoint|usage|rotation|review|location|format|prefix|suffix|namespace|selector|label|annotation|method|mode|algorithm|scope|total|backend|manager|required|publishable[-_.]?key|public[-_.]?key|[-_.]id)s?$|^checksum/|\.(json|ya?ml|js|ts|css|html?|sh|py|rb|lua|conf|cfg|ini|toml|xml|properties|tpl|md|sql|crt|cert|rego)$`)
	// camelSensitive: pwd as a word within camelCase.
	camelSensitive = lazy(`[a-z]Pwd$|^pwd$`)
	// password names whose number is a password all the same.
	password = lazy(`(?i)(passw(or)?d|passphrase|pwd|[-_.]?pin)$`)
	number   = lazy(`^\d{4,}$`)
)

// Announces says whether a name, chosen by people, announces a secret: it is
// named like one, and not like the place or the lifetime of one.
func Announces(name string) bool {
	lower := strings.ToLower(name)
	if !slices.ContainsFunc(announcing, func(part string) bool { return strings.Contains(lower, part) }) {
		return false
	}
	return (sensitive().MatchString(name) || camelSensitive().MatchString(name)) && !referring().MatchString(name)
}

var (
	// naming fields hold the name of a Secret, or of a key of one.
	naming       = lazy(`(?i)(existing|secret[-_.]?key$|(^|[a-z])secrets?$|(password|token|user|credential|access|client)s?[-_.]?(key|secret)$|keyring|passwordsecret)`)
	clientSecret = lazy(`(?i)client[-_.]?secret$`)
)

// NamesSecret says whether a structured field of this name holds the name of a
// Secret or of a key, though it sounds like a secret.
func NamesSecret(field string) bool {
	return naming().MatchString(field) && !clientSecret().MatchString(field)
}

// Tells says whether a value of this shape under this name is to be taken for
// a secret in the open. Of a mask the value is not known, so a masked number
// has only its name: it tells if that asks for a password outright.
func Tells(name, value string) bool {
	if !Announces(name) {
		return false
	}
	switch Of(value) {
	case Opaque:
		return true
	case Trivial:
		return password().MatchString(name) && (number().MatchString(value) || maskedNumber(value))
	}
	return false
}

// maskedNumber: the masker notes that a trivial value has many digits.
func maskedNumber(value string) bool {
	for _, m := range Masks(value) {
		for _, id := range m.Found {
			if id == Digits {
				return true
			}
		}
	}
	return false
}
