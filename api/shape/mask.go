// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"strings"
)

// Mask is what stands for a value: its shape, a keyed digest, and the ids of
// the patterns that matched before it was hidden.
type Mask struct {
	Shape  Shape
	Digest string
	// Found are ids of patterns, in order.
	Found []string
}

// String is the mask as text: (masked opaque hmac:8c1f… found:jwt,url-password).
// A reader that does not know a word passes over it.
func (m Mask) String() string {
	var b strings.Builder
	b.WriteString("(masked ")
	b.WriteString(string(m.Shape))
	if m.Digest != "" {
		b.WriteString(" hmac:")
		b.WriteString(m.Digest)
	}
	if len(m.Found) > 0 {
		b.WriteString(" found:")
		b.WriteString(strings.Join(m.Found, ","))
	}
	b.WriteString(")")
	return b.String()
}

var mask = lazy(`\(masked ([a-z]+)((?: [^()]*)?)\)`)

// Masked says whether a text has a mask in it.
func Masked(text string) bool {
	return strings.Contains(text, "(masked ") && mask().MatchString(text)
}

// Masks reads the masks in a text. A shape from a newer writer that is not
// known here counts as opaque: what is not understood is never harmless.
func Masks(text string) []Mask {
	if !strings.Contains(text, "(masked ") {
		return nil
	}
	var out []Mask
	for _, found := range mask().FindAllStringSubmatch(text, -1) {
		m := Mask{Shape: Shape(found[1])}
		if _, known := rank[m.Shape]; !known {
			m.Shape = Opaque
		}
		for _, word := range strings.Fields(found[2]) {
			if digest, is := strings.CutPrefix(word, "hmac:"); is {
				m.Digest = digest
			}
			if ids, is := strings.CutPrefix(word, "found:"); is {
				m.Found = strings.Split(ids, ",")
			}
		}
		out = append(out, m)
	}
	return out
}

// WithoutMasks replaces masks by a reference, so that what was found before is
// not found again in its stead. The length stays, and with it every place.
func WithoutMasks(text string) string {
	if !strings.Contains(text, "(masked ") {
		return text
	}
	return mask().ReplaceAllStringFunc(text, func(found string) string {
		return "${" + strings.Repeat("M", len(found)-len("${}")) + "}"
	})
}
