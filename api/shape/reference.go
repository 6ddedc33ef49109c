// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"strings"
)

var (
	// wholeReference: vals, bank-vaults, Argo CD's vault plugin, 1Password,
	// and resource names of clouds.
	wholeReference = lazy(`^(ref\+[a-z0-9]+://\S+|(>>)?vault:\S+#\S+|<path:[^<>]+>|op://\S+|` +
		`arn:aws[a-z-]*:(secretsmanager|ssm|kms):\S+|projects/[^/\s]+/secrets/\S+)$`)
	// variable: what is substituted inside a text.
	variable = lazy(`\$\{[^{}]+\}|\$\([A-Za-z_][A-Za-z0-9_.-]*\)|\{\{[^{}]*\}\}|\$[A-Z_][A-Z0-9_]{2,}\b|%[A-Z_][A-Z0-9_]*%|#\{[^{}]+\}`)
	// literal: a string that a template puts out instead of looking it up:
	// it may be the secret itself.
	literal = lazy("\\{\\{-?\\s*[\"`'][^\"`']{3,}|\\b(default|coalesce|ternary|print|b64dec|cat|quote|squote)\\s+[\"`][^\"`]{3,}|:[-=][^}]{3,}\\}")
	// urlPassword finds the password in the authority of a URL.
	urlPassword = lazy(`^[A-Za-z][A-Za-z0-9+.:-]*://[^/?#\s]*?:([^/?#\s@]*)@`)
)

// isReference says whether a text only names places of values. A text with
// variables and more is a reference only when the rest cannot hold the
// secret: nothing, punctuation, an authentication scheme, or a URL whose
// password is itself a variable.
func isReference(text string) bool {
	if wholeReference().MatchString(text) {
		return true
	}
	if !variable().MatchString(text) {
		return false
	}
	if literal().MatchString(text) {
		return false
	}
	const mark = "\x00"
	rest := variable().ReplaceAllString(text, mark)
	if found := urlPassword().FindStringSubmatch(rest); found != nil {
		return strings.Trim(found[1], mark) == ""
	}
	rest = strings.TrimSpace(strings.ReplaceAll(rest, mark, ""))
	switch strings.ToLower(rest) {
	case "bearer", "basic", "token":
		return true
	}
	return strings.Trim(rest, " \t\r\n:;,.@/_-|\"'") == ""
}

// HasVariable says whether a text is completed by somebody else later.
func HasVariable(text string) bool { return variable().MatchString(text) }

// Between gives the parts of a text around its variables: where a secret could
// stand in a text that is otherwise looked up. A literal within a template
// action counts as such a part.
func Between(text string) [][2]int {
	var parts [][2]int
	last := 0
	add := func(from, to int) {
		if strings.Trim(text[from:to], " \t\r\n:;,.@/_-|\"'{}[]()=") != "" {
			parts = append(parts, [2]int{from, to})
		}
	}
	for _, at := range variable().FindAllStringIndex(text, -1) {
		if literal().MatchString(text[at[0]:at[1]]) {
			continue // stays within the part around it
		}
		add(last, at[0])
		last = at[1]
	}
	add(last, len(text))
	return parts
}
