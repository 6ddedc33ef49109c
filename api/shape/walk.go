// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Scalar is one value within an object, with the name that people read it by.
type Scalar struct {
	// Tokens lead to it: field names (string) and list indices (int).
	Tokens []any
	// Name: of the variable, argument or parameter that it belongs to, else of
	// its field.
	Name string
	// Value is a string, a bool, a number or nil.
	Value any
}

// Text is the value as text; that of no value is empty.
func (s Scalar) Text() string {
	switch v := s.Value.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	return fmt.Sprint(s.Value)
}

// Field is the name of the n-th field from the start, where it is one.
func (s Scalar) Field(n int) string {
	if n >= len(s.Tokens) {
		return ""
	}
	name, _ := s.Tokens[n].(string)
	return name
}

// Below says whether a field of that name leads to the scalar.
func (s Scalar) Below(name string) bool {
	for i := range s.Tokens {
		if s.Field(i) == name {
			return true
		}
	}
	return false
}

// Each visits the scalars of an object in a fixed order.
func Each(object any, visit func(Scalar)) {
	Rewrite(object, func(s Scalar) any {
		visit(s)
		return s.Value
	})
}

// Rewrite gives a copy of an object with each scalar replaced by the answer.
func Rewrite(object any, replace func(Scalar) any) any {
	return rewrite(nil, "", object, replace)
}

func rewrite(tokens []any, name string, value any, replace func(Scalar) any) any {
	switch v := value.(type) {
	case map[string]any:
		return rewriteMap(tokens, v, replace)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = rewrite(child(tokens, i), itemName(name, v, i), item, replace)
		}
		return out
	}
	return replace(Scalar{Tokens: tokens, Name: name, Value: value})
}

// rewriteMap gives the value of a {name, value} pair the name of the pair.
func rewriteMap(tokens []any, fields map[string]any, replace func(Scalar) any) any {
	out := make(map[string]any, len(fields))
	pair, _ := fields["name"].(string)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name := key
		if key == "value" && pair != "" {
			name = pair
		}
		out[key] = rewrite(child(tokens, key), name, fields[key], replace)
	}
	return out
}

func child(tokens []any, token any) []any {
	return append(tokens[:len(tokens):len(tokens)], token)
}

// itemName: an argument after a flag is the flag's value.
func itemName(list string, items []any, i int) string {
	if i == 0 {
		return list
	}
	flag, _ := items[i-1].(string)
	if strings.HasPrefix(flag, "-") && !strings.ContainsAny(flag, "= \t\n") {
		return strings.TrimLeft(flag, "-")
	}
	return list
}
