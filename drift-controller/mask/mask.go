// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/drift-controller/pattern"
)

// Key is the secret key of digests. Its holder can tell whether two values are
// equal, and nobody can find a value by trying without it.
type Key []byte

// Digest is the keyed digest of a value: 16 hexadecimal digits.
func (k Key) Digest(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Appendf(nil, "%#v", v)
	}
	mac := hmac.New(sha256.New, k)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

// Scope says what is known of the object and of its render.
type Scope struct {
	Key Key
	// Secret: the object is a Secret, so every value of data is sensitive.
	Secret bool
	// Tainted values came from Secrets or encrypted files into the render.
	Tainted []string
	// All: every scalar is sensitive, whatever it looks like.
	All bool
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// sensitiveName matches field, key and variable names that announce a secret.
// Names that only refer to one (a path, a file, a Secret's name) do not count.
var (
	sensitiveName = regexp.MustCompile(`(?i)(passw(or)?d|passphrase|secret|token|api[-_.]?key|private[-_.]?key|access[-_.]?key|credential|auth[-_.]?key|encryption[-_.]?key|signing[-_.]?key|client[-_.]?secret|dsn|connection[-_.]?string)`)
	referringName = regexp.MustCompile(`(?i)(name|ref|file|path|dir|ttl|url|uri|host|mount|enabled|policy|type|kind|class|store|length|expiry|expiration|seconds|account|version|provider|issuer|audience|endpoint)s?$`)
	urlInText     = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+`)
	assignment    = regexp.MustCompile(`(?i)(password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key)["']?\s*[=:]\s*["']?([^\s"',;&]{4,})`)
	variable      = regexp.MustCompile(`^\$(\{[^{}]+\}|\([^()]+\))$`)
	privateKey    = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)
)

// Value gives the value with its sensitive scalars masked, and whether
// anything was. The tokens are those of its path in the object.
func (s Scope) Value(tokens []string, v any) (any, bool) {
	return s.walk(tokens, v, s.All || s.sensitivePath(tokens))
}

func (s Scope) sensitivePath(tokens []string) bool {
	if len(tokens) == 0 {
		return false
	}
	if s.held(tokens) {
		return true
	}
	last := tokens[len(tokens)-1]
	if last == lastApplied {
		return true
	}
	if item, ok := itemName(last); ok {
		last = item
	}
	if last == "value" && len(tokens) > 1 {
		// The value of a variable or argument stands under its item's name.
		item, _ := itemName(tokens[len(tokens)-2])
		return announces(item)
	}
	return isLeafHolder(tokens) && announces(last)
}

// held says whether a Secret holds what is at the path.
func (s Scope) held(tokens []string) bool {
	return s.Secret && len(tokens) > 0 && (tokens[0] == "data" || tokens[0] == "stringData")
}

// isLeafHolder: only where names are free text chosen by people (data keys,
// annotations, variables) do they announce a value's meaning.
func isLeafHolder(tokens []string) bool {
	if len(tokens) < 2 {
		return false
	}
	switch tokens[len(tokens)-2] {
	case "data", "stringData", "binaryData", "annotations", "parameters", "config", "env", "settings", "options":
		return true
	}
	return false
}

func itemName(token string) (string, bool) {
	inner, ok := strings.CutPrefix(token, "[name=")
	if !ok {
		return "", false
	}
	return strings.TrimSuffix(inner, "]"), true
}

func announces(name string) bool {
	return shape.Announces(name) || sensitiveName.MatchString(name) && !referringName.MatchString(name)
}

func (s Scope) walk(tokens []string, v any, sensitive bool) (any, bool) {
	switch t := v.(type) {
	case map[string]any:
		return s.walkMap(tokens, t, sensitive)
	case []any:
		out, masked := make([]any, len(t)), false
		for i, item := range t {
			m, did := s.walk(append(tokens[:len(tokens):len(tokens)], itemToken(item, i)), item, sensitive)
			out[i], masked = m, masked || did
		}
		return out, masked
	case nil:
		return nil, false
	case string:
		return s.text(t, sensitive)
	case bool:
		if !sensitive {
			return v, false
		}
	}
	if sensitive || s.tainted(fmt.Sprint(v)) {
		return s.token(v), true
	}
	return v, false
}

func (s Scope) walkMap(tokens []string, fields map[string]any, sensitive bool) (any, bool) {
	out, masked := make(map[string]any, len(fields)), false
	named, _ := fields["name"].(string)
	for name, field := range fields {
		below := append(tokens[:len(tokens):len(tokens)], name)
		hide := sensitive || s.sensitivePath(below) || (name == "value" && announces(named))
		if name == "name" && !s.held(below) {
			hide = false // it tells the reader which item this is
		}
		m, did := s.walk(below, field, hide)
		out[name], masked = m, masked || did
	}
	return out, masked
}

func itemToken(item any, i int) string {
	if fields, ok := item.(map[string]any); ok {
		if name, ok := fields["name"].(string); ok {
			return "[name=" + name + "]"
		}
	}
	return fmt.Sprint(i)
}

func (s Scope) text(v string, sensitive bool) (any, bool) {
	if v == "" {
		return v, false
	}
	if sensitive || s.tainted(v) || privateKey.MatchString(v) {
		return s.token(v), true
	}
	masked := shape.Hide(v, shape.Find(v, pattern.Scan), s.found)
	masked = urlInText.ReplaceAllStringFunc(masked, s.url)
	masked = assignment.ReplaceAllStringFunc(masked, func(found string) string {
		parts := assignment.FindStringSubmatchIndex(found)
		if strings.HasPrefix(found[parts[4]:], "(masked") {
			return found
		}
		return found[:parts[4]] + s.token(found[parts[4]:parts[5]]) + found[parts[5]:]
	})
	return masked, masked != v
}

// Taints says whether a text holds a tainted value.
func (s Scope) Taints(v string) bool { return s.tainted(v) }

func (s Scope) tainted(v string) bool {
	for _, t := range s.Tainted {
		if len(t) >= 4 && strings.Contains(v, t) {
			return true
		}
	}
	return false
}

// found masks what a pattern found. The password of a URL is digested as it is
// meant, so that it compares with the same one elsewhere.
func (s Scope) found(value string, ids []string) string {
	if plain, err := url.PathUnescape(value); err == nil && slices.Contains(ids, shape.URLPassword) {
		value = plain
	}
	return s.token(value)
}

// url hides the password of a URL; what cannot be parsed but has an @ is
// hidden up to it.
func (s Scope) url(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return text
	}
	user, password, has := strings.Cut(rest[:at], ":")
	if !has || password == "" || variable.MatchString(password) {
		return text
	}
	if plain, err := url.PathUnescape(password); err == nil {
		password = plain
	}
	return scheme + "://" + user + ":" + s.token(password) + rest[at:]
}

func (s Scope) token(v any) string {
	return Token(s.Key.Digest(v))
}

// Token is the text that stands for a masked value.
func Token(digest string) string { return "(masked " + digest + ")" }
