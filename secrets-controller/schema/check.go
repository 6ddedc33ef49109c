// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// Fault is the kind of a violation.
type Fault string

// The faults.
const (
	WrongType  Fault = "type"
	NotListed  Fault = "enum"
	NotMatched Fault = "pattern"
	Missing    Fault = "required"
	OutOfRange Fault = "range"
	Unknown    Fault = "unknown field"
)

// Violation is one thing that a schema has against an object.
type Violation struct {
	Fault Fault
	// Path leads to the field: names and indices.
	Path []any
	// Message says what the schema wants. It holds no value of the object but
	// one that stands where a word of the schema is expected.
	Message string
	// Word is that value, and Allowed are the words.
	Word    string
	Allowed []string
}

// Field is the last name of the path.
func (v Violation) Field() string {
	for _, token := range slices.Backward(v.Path) {
		if name, is := token.(string); is {
			return name
		}
	}
	return ""
}

// Check compares an object with the schema. The metadata of an object is not
// the schema's business.
func (s Schema) Check(object map[string]any) []Violation {
	c := &checker{}
	fields := maps.Clone(object)
	for _, known := range []string{"apiVersion", "kind", "metadata", "status"} {
		delete(fields, known)
	}
	root := maps.Clone(s.root)
	root["required"] = nil
	c.value(nil, root, fields)
	return c.found
}

type checker struct{ found []Violation }

func (c *checker) add(path []any, v Violation) {
	v.Path = slices.Clone(path)
	c.found = append(c.found, v)
}

func (c *checker) value(path []any, schema map[string]any, value any) {
	if len(schema) == 0 {
		return
	}
	if text, is := value.(string); value == nil || is && shape.Masked(text) {
		return // the server drops a null, and a mask stands for what nobody sees
	}
	if !c.typed(path, schema, value) {
		return
	}
	switch v := value.(type) {
	case string:
		c.text(path, schema, v)
	case []any:
		items, _ := schema["items"].(map[string]any)
		c.size(path, schema, len(v), "Items", "items")
		for i, item := range v {
			c.value(append(path, i), items, item)
		}
	case map[string]any:
		c.size(path, schema, len(v), "Properties", "fields")
		c.fields(path, schema, v)
	}
}

func (c *checker) typed(path []any, schema map[string]any, value any) bool {
	want, _ := schema["type"].(string)
	if free, _ := schema["x-kubernetes-int-or-string"].(bool); free {
		switch value.(type) {
		case string, int64, int, float64:
			return true
		}
		want = "integer or string"
	}
	have := typeOf(value)
	if want == "" || want == have || want == "number" && have == "integer" {
		return true
	}
	c.add(path, Violation{Fault: WrongType, Message: fmt.Sprintf("wants %s, and here stands %s", article(want), article(have))})
	return false
}

func article(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "i") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

func typeOf(value any) string {
	switch v := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int64, int:
		return "integer"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func (c *checker) text(path []any, schema map[string]any, value string) {
	if words, _ := schema["enum"].([]any); len(words) > 0 {
		var allowed []string
		for _, word := range words {
			allowed = append(allowed, fmt.Sprint(word))
		}
		if !slices.Contains(allowed, value) {
			c.add(path, Violation{
				Fault: NotListed, Word: value, Allowed: allowed,
				Message: fmt.Sprintf("%s is none of %s", quoted(value), strings.Join(allowed, ", ")),
			})
		}
		return
	}
	if pattern, _ := schema["pattern"].(string); pattern != "" {
		if expression, err := regexp.Compile(pattern); err == nil && !expression.MatchString(value) {
			c.add(path, Violation{Fault: NotMatched, Message: "does not match " + pattern})
		}
	}
	c.size(path, schema, utf8.RuneCountInString(value), "Length", "characters")
}

// quoted shows a word if it is short enough to be a slip and no value.
func quoted(word string) string {
	const longest = 40
	if len(word) > longest {
		return "the text there"
	}
	return word
}

func (c *checker) size(path []any, schema map[string]any, size int, suffix, what string) {
	if least, has := integer(schema["min"+suffix]); has && size < least {
		c.add(path, Violation{Fault: OutOfRange, Message: fmt.Sprintf("needs at least %d %s", least, what)})
	}
	if most, has := integer(schema["max"+suffix]); has && size > most {
		c.add(path, Violation{Fault: OutOfRange, Message: fmt.Sprintf("takes at most %d %s", most, what)})
	}
}

func integer(value any) (int, bool) {
	switch v := value.(type) {
	case int64:
		return int(v), true
	case float64:
		return int(v), true
	}
	return 0, false
}

func (c *checker) fields(path []any, schema, fields map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	additional, open := schema["additionalProperties"].(map[string]any)
	preserve, _ := schema["x-kubernetes-preserve-unknown-fields"].(bool)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		text, _ := name.(string)
		if fields[text] == nil {
			c.add(path, Violation{Fault: Missing, Message: "lacks " + text})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		below := append(path[:len(path):len(path)], name)
		property, known := properties[name].(map[string]any)
		switch {
		case known:
			c.value(below, property, fields[name])
		case open:
			c.value(below, additional, fields[name])
		case !preserve && (properties != nil || len(path) == 0):
			c.add(below, Violation{
				Fault: Unknown, Word: name, Allowed: slices.Sorted(maps.Keys(properties)),
				Message: "is no field of the schema",
			})
		}
	}
}
