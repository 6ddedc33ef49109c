// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

const (
	notDeclared = "(not declared)"
	notLive     = "(absent)"
	// context is how much of what both sides share stays in front of the part
	// where two long values part.
	context = 12
)

// values prints both sides of a difference so that the place where they part
// is within the width.
func values(wanted, live *v1alpha1.Value, width int) (git, cluster string) {
	switch {
	case wanted == nil:
		return notDeclared, single(live, width)
	case live == nil:
		return single(wanted, width), notLive
	}
	// What stands opposite of a secret is one too, whatever it says of itself.
	if _, secret := wholeDigest(wanted); secret && !live.Masked {
		live = &v1alpha1.Value{Masked: true}
	}
	if _, secret := wholeDigest(live); secret && !wanted.Masked {
		wanted = &v1alpha1.Value{Masked: true}
	}
	w, l := linesOf(wanted), linesOf(live)
	n := firstDifference(w.text, l.text)
	return w.fitted(n, l, width), l.fitted(n, w, width)
}

// single prints a value that has no other side.
func single(v *v1alpha1.Value, width int) string {
	if v == nil {
		return notLive
	}
	l := linesOf(v)
	return screen.Cut(l.label(0)+l.at(0), width)
}

// lines is a value as its lines; start is the number of the first of them.
type lines struct {
	text  []string
	start int
	// numbered: the value has other lines than the one that is shown.
	numbered bool
}

// linesOf takes a value apart. A string stands without quotes unless that
// would read as another type, as "true" would.
func linesOf(v *v1alpha1.Value) lines {
	start := max(int(v.Line), 1)
	if v.JSON == "" && v.Masked {
		return lines{text: []string{masked(v.Digest, digits)}, start: start}
	}
	v = shortTokens(v)
	var s string
	if err := json.Unmarshal([]byte(v.JSON), &s); err != nil {
		return lines{text: []string{compact(v.JSON)}, start: start, numbered: v.Line > 0}
	}
	if strings.Contains(s, "\n") {
		return lines{text: strings.Split(s, "\n"), start: start, numbered: true}
	}
	return lines{text: []string{bare(s)}, start: start, numbered: v.Line > 0}
}

func (l lines) label(n int) string {
	if !l.numbered {
		return ""
	}
	return fmt.Sprintf("line %d: ", l.start+n)
}

func (l lines) at(n int) string {
	if n >= len(l.text) {
		return "(ends before)"
	}
	return l.text[n]
}

// fitted is line n cut to the width around where it parts from the other's.
func (l lines) fitted(n int, other lines, width int) string {
	label := l.label(n)
	return label + window(l.at(n), other.at(n), width-screen.Width(label))
}

// window cuts a long text at both ends around where it parts from the other.
func window(s, other string, width int) string {
	if screen.Width(s) <= width {
		return s
	}
	own, theirs := []rune(s), []rune(other)
	n := 0
	for n < len(own) && n < len(theirs) && own[n] == theirs[n] {
		n++
	}
	if n+context < width {
		return screen.Cut(s, width)
	}
	return screen.Cut("…"+string(own[n-context:]), width)
}

func firstDifference(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	// Values that are equal as far as they were kept part beyond it.
	if n == len(a) && n == len(b) {
		return 0
	}
	return n
}

// compact is JSON on one line; what is no JSON, because it was cut, stays.
func compact(raw string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(raw)); err != nil {
		return strings.Join(strings.Fields(raw), " ")
	}
	return b.String()
}

// bare drops the quotes of a string that cannot be taken for anything else.
func bare(s string) string {
	if s == "" || strings.TrimSpace(s) != s || !screen.Printable(s) || json.Valid([]byte(s)) {
		return strconv.Quote(s)
	}
	return s
}

// digits of a keyed digest that are shown: enough to see that it changed.
const digits = 4

// token is what the controller puts in place of a secret scalar, which may
// stand alone or within a larger value, such as the password of a URL.
var token = regexp.MustCompile(`\(masked (?:[a-z0-9-]+:)?([0-9a-f]+)\)`)

// shortTokens cuts the digests within a masked value to what people compare.
func shortTokens(v *v1alpha1.Value) *v1alpha1.Value {
	if !v.Masked {
		return v
	}
	short := *v
	short.JSON = token.ReplaceAllStringFunc(v.JSON, func(t string) string {
		return masked(token.FindStringSubmatch(t)[1], digits)
	})
	return &short
}

func masked(digest string, length int) string {
	digest = digest[strings.LastIndex(digest, ":")+1:]
	if digest == "" {
		return "(masked)"
	}
	if len(digest) <= length {
		return "(masked " + digest + ")"
	}
	return "(masked " + digest[:length] + "…)"
}

// secretPair prints both sides of a difference that is secret as a whole, with
// as many digits as tell them apart; "" if either side has more to show.
func secretPair(wanted, live *v1alpha1.Value) string {
	git, okGit := wholeDigest(wanted)
	cluster, okLive := wholeDigest(live)
	if !okGit || !okLive {
		return ""
	}
	length := digits
	for length < len(git) && git != cluster && masked(git, length) == masked(cluster, length) {
		length++
	}
	return masked(git, length) + " → " + masked(cluster, length)
}

// wholeDigest is the digest of a value that is nothing but secret.
func wholeDigest(v *v1alpha1.Value) (string, bool) {
	if v == nil || !v.Masked {
		return "", false
	}
	if v.JSON == "" {
		return v.Digest, true
	}
	var s string
	if json.Unmarshal([]byte(v.JSON), &s) != nil {
		return "", false
	}
	found := token.FindStringSubmatch(s)
	if found == nil || found[0] != s {
		return "", false
	}
	return found[1], true
}
