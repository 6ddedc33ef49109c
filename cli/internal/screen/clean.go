// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean escapes what a terminal would obey instead of show: control
// characters, escape sequences and the marks that reorder text. A value in a
// cluster is written by whoever may write there.
func Clean(s string) string {
	if Printable(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// Printable says whether a terminal would show every rune as it is.
func Printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// Width counts runes: what stands in manifests is almost always narrow, and a
// table that is off by a column for the rest is still read.
func Width(s string) int { return utf8.RuneCountInString(s) }

func wide(spans ...Span) int {
	n := 0
	for _, s := range spans {
		n += Width(Clean(s.text))
	}
	return n
}

// Cut shortens text to a width, with an ellipsis as its last column.
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width <= 1 {
		return "…"
	}
	return strings.TrimRight(string([]rune(s)[:width-1]), " ") + "…"
}
