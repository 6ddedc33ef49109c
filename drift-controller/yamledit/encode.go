// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const indentStep = 2

// composite: a value that takes lines of its own in block style.
func composite(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// blockText is a value in block style, each line but the first behind the
// indentation.
func blockText(value any, indentation string) (string, error) {
	return encoded(nodeOf(value), indentation)
}

func encoded(node *yaml.Node, indentation string) (string, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(indentStep)
	if err := encoder.Encode(node); err != nil {
		return "", fmt.Errorf("%w: a value cannot be written: %w", ErrShape, err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = indentation + lines[i]
		}
	}
	return strings.Join(lines, "\n"), nil
}

// first are keys that people write first.
var first = []string{"apiVersion", "kind", "metadata", "name"}

func nodeOf(value any) *yaml.Node {
	switch v := value.(type) {
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if len(v) == 0 {
			node.Style = yaml.FlowStyle
		}
		for _, key := range orderedKeys(v) {
			node.Content = append(node.Content, nodeOf(key), nodeOf(v[key]))
		}
		return node
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if len(v) == 0 {
			node.Style = yaml.FlowStyle
		}
		for _, item := range v {
			node.Content = append(node.Content, nodeOf(item))
		}
		return node
	default:
		node := &yaml.Node{}
		// Encode, since it knows the words that YAML 1.1 takes for no text.
		if err := node.Encode(normal(v)); err != nil {
			node.SetString(fmt.Sprint(v)) // the proof will say that it is not the value
		}
		return node
	}
}

func orderedKeys(fields map[string]any) []string {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		rank := func(key string) int {
			if i := slices.Index(first, key); i >= 0 {
				return i
			}
			return len(first)
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return keys
}

// scalarText writes a scalar, or an empty list or mapping, in the manner of
// the one that it replaces; old is nil where there was none. indentation is
// that of further lines.
func scalarText(value any, old *yaml.Node, indentation string) (string, error) {
	node := nodeOf(value)
	text, isText := value.(string)
	if !isText || old == nil || old.Kind != yaml.ScalarNode {
		return encodedBelow(node, indentation)
	}
	const quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle
	switch {
	case old.Style&quotes != 0 && !strings.Contains(text, "\n"):
		node.Style = old.Style & quotes
	case old.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && strings.Contains(text, "\n"):
		node.Style = yaml.LiteralStyle
	}
	return encodedBelow(node, indentation)
}

// encodedBelow indents the lines of a block scalar as its place asks for,
// whatever the encoder chose for a document of its own.
func encodedBelow(node *yaml.Node, indentation string) (string, error) {
	text, err := encoded(node, "")
	if err != nil {
		return "", err
	}
	header, body, isBlock := strings.Cut(text, "\n")
	if !isBlock || node.Kind != yaml.ScalarNode {
		return text, nil
	}
	lines := strings.Split(body, "\n")
	for i := range lines {
		// A document's own block scalar stands at the encoder's indentation.
		if lines[i] != "" {
			lines[i] = indentation + strings.TrimPrefix(lines[i], strings.Repeat(" ", indentStep))
		}
	}
	return header + "\n" + strings.Join(lines, "\n"), nil
}

// bare text needs no quotes within brackets.
var bare = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./-]*$`)

// flowText is a value within brackets: JSON, with bare words where the text
// around has such.
func flowText(value any, quoteAll bool) (string, error) {
	switch v := value.(type) {
	case map[string]any:
		return inBraces(v, quoteAll)
	case []any:
		parts := make([]string, len(v))
		for i, inner := range v {
			var err error
			if parts[i], err = flowText(inner, quoteAll); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case string:
		if plain, err := encoded(nodeOf(v), ""); err == nil && plain == v && bare.MatchString(v) && !quoteAll {
			return v, nil
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("%w: a value cannot be written: %w", ErrShape, err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func inBraces(fields map[string]any, quoteAll bool) (string, error) {
	parts := make([]string, 0, len(fields))
	for _, key := range orderedKeys(fields) {
		name, err := flowText(key, quoteAll)
		if err != nil {
			return "", err
		}
		item, err := flowText(fields[key], quoteAll)
		if err != nil {
			return "", err
		}
		parts = append(parts, name+": "+item)
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}
