// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// planted are the values by where they stand. Each four characters in a row of
// one hold two rare ones, so that no digest, name or word has them by chance.
var planted = map[string]string{
	"a Secret in Git":                    grow("qWzJkVxM"),
	"the same Secret, edited":            grow("pLRbTuGs"),
	"a Secret that values come from":     grow("hCyFdSeK"),
	"manifests that are refused":         grow("mNrXaBoH"),
	"a connection string":                grow("aZeRtYuI"),
	"an environment variable":            grow("bQwErTyU"),
	"an argument":                        grow("cAsDfGhJ"),
	"an annotation":                      grow("dZxCvBnM"),
	"a last-applied annotation":          grow("ePoIuYtR"),
	"a file that SOPS encrypted":         grow("fLkJhGfD"),
	"a values file":                      grow("gMnBvCxZ"),
	"a values file that nothing uses":    grow("hTgBrFvE"),
	"a line that is no YAML":             grow("iYhNuJmK"),
	"a patch that does not fit":          grow("jWsXeDcR"),
	"a literal of a kustomization":       grow("kOlPmIkN"),
	"a Secret that CEL reads":            grow("lVfRtGbH"),
	"a Secret that is healed":            grow("nEdCrFvT"),
	"the hand edit that is reverted":     grow("oQaZwSxE"),
	"the address of a source":            plain("rIkMuJnH"),
	"the password of a source":           grow("sBgTnHyM"),
	"the password of a proxy":            plain("tLoKiJuH"),
	"a private key of SSH":               grow("uPzQxWcE"),
	"the credential of a registry":       grow("vRdFgThY"),
	"a Secret in no one's Application":   grow("wNjMkLoP"),
	"a ConfigMap of the same, by hand":   grow("xCdEvFrT"),
	"an argument that somebody edited":   grow("yHuJiKoL"),
	"a token in a header":                plain("zSwDeFrG"),
	"a values file inside a HelmRelease": grow("aUjMyHnT"),
}

// grow makes eight letters a value that no scheme of encoding leaves as it is.
func grow(letters string) string { return weave(letters, "~|^~|~^|") }

// plain is one that may stand in an address as it is.
func plain(letters string) string { return weave(letters, "~-_~.~-~") }

func weave(letters, rare string) string {
	var b strings.Builder
	for i := range letters {
		b.WriteByte(letters[i])
		b.WriteByte(rare[i])
	}
	return b.String() + letters[:1] + rare[:2]
}

// leak finds a part of a planted value: four characters of it as it is or
// percent-encoded, or eight of it in base64, at each of the three offsets that
// base64 has.
func leak(text string) (where, piece string) {
	for _, where := range slices.Sorted(maps.Keys(planted)) {
		if piece := leakOf(text, planted[where]); piece != "" {
			return where, piece
		}
	}
	return "", ""
}

func leakOf(text, value string) string {
	if found := part(text, value, 4); found != "" {
		return found
	}
	if found := part(text, url.QueryEscape(value), 8); found != "" {
		return found
	}
	for offset := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(value)[offset:])
		if found := part(text, strings.TrimRight(encoded, "="), 8); found != "" {
			return found
		}
	}
	return ""
}

func part(text, value string, length int) string {
	for start := 0; start+length <= len(value); start++ {
		piece := value[start : start+length]
		// JSON and logs may write some characters as escapes.
		quoted, err := json.Marshal(piece)
		if err == nil && strings.Contains(text, strings.Trim(string(quoted), `"`)) || strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

func around(text, found string) string {
	at := strings.Index(text, found)
	if at < 0 {
		return ""
	}
	return text[max(0, at-200):min(len(text), at+200)]
}
