// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package refusal

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// hidden stands for a masked value. It carries no digest: a part of a value
// would have another one than the value has.
const hidden = "(masked)"

// longest is how much of a refusal is kept. Helm's schema errors and policies
// that print the object are longer than a status should be.
const longest = 2048

// Hide is what must not be shown of an object, and what may.
type Hide struct {
	// Name under which the object was sent.
	Name string
	// RealName that the reader knows it by.
	RealName string
	// Scope masks by patterns and by what is known to be secret.
	Scope mask.Scope
	// values that are masked by their path in the object.
	values []string
}

// NewHide collects what the scope would mask of the object, so that the same
// value is masked in words, where it has no path.
func NewHide(obj *unstructured.Unstructured, scope mask.Scope) Hide {
	h := Hide{Name: obj.GetName(), RealName: obj.GetName(), Scope: scope}
	masked, did := scope.Value(nil, obj.Object)
	if did {
		collect(obj.Object, masked, &h.values)
	}
	// The longest first: a value may hold another one.
	slices.SortFunc(h.values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return h
}

// Under is the same for a copy that is sent under another name.
func (h Hide) Under(name string) Hide {
	h.Name = name
	return h
}

// collect walks an object and its masked copy side by side.
func collect(plain, masked any, into *[]string) {
	switch p := plain.(type) {
	case map[string]any:
		m, _ := masked.(map[string]any)
		for key, item := range p {
			collect(item, m[key], into)
		}
	case []any:
		m, _ := masked.([]any)
		for i, item := range p {
			if i < len(m) {
				collect(item, m[i], into)
			}
		}
	case nil:
	default:
		if text := fmt.Sprint(p); text != fmt.Sprint(masked) {
			*into = append(*into, forms(text)...)
		}
	}
}

// forms of a value in which the server may quote it. Short ones are left to
// the patterns, since they stand in every sentence.
func forms(text string) []string {
	const shortest = 4
	var all []string
	quoted := fmt.Sprintf("%q", text)
	for _, form := range []string{text, quoted[1 : len(quoted)-1], decoded(text)} {
		if len(form) >= shortest && !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	return all
}

func decoded(text string) string {
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return string(plain)
}

// Patterns of what the server quotes. A JSON error of older servers shows the
// text around the fault.
var (
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	composed = regexp.MustCompile(`(?:[Vv]alue: )(?:\{.*?\}|\[.*?\]|[^\s":]+)(: |$)`)
	got      = regexp.MustCompile(`, got [^\n]*`)
	snippet  = regexp.MustCompile(`error found in #.*`)
)

// Mask gives the words that may be shown.
func (h Hide) Mask(words string) string {
	if h.Scope.Secret {
		words = h.strictly(words)
	}
	for _, v := range h.values {
		words = strings.ReplaceAll(words, v, hidden)
	}
	if text, ok := first(h.Scope.Value(nil, words)).(string); ok {
		words = text
	}
	if h.Name != h.RealName {
		words = strings.ReplaceAll(words, h.Name, h.RealName)
	}
	if len(words) > longest {
		words = strings.ToValidUTF8(words[:longest], "") + "…"
	}
	return words
}

func first(v any, _ bool) any { return v }

// strictly hides whatever is quoted but the name: of a Secret even a value of
// the wrong type, or one under an unknown field, is a secret.
func (h Hide) strictly(words string) string {
	words = got.ReplaceAllString(words, ", got "+hidden)
	words = snippet.ReplaceAllString(words, hidden)
	words = composed.ReplaceAllString(words, "value: "+hidden+"$1")
	return quoted.ReplaceAllStringFunc(words, func(q string) string {
		if inner := q[1 : len(q)-1]; inner == h.Name || inner == h.RealName {
			return q
		}
		return q[:1] + hidden + q[len(q)-1:]
	})
}
