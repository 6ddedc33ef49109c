// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	// maxDepth is far beyond any schema; the deepest CRDs reach about 120.
	maxDepth = 1000
	// maxAliased bounds the nodes that aliases of one file may repeat, so that
	// a few lines cannot grow into gigabytes.
	maxAliased = 100_000
)

// converter turns YAML nodes into JSON values. It works on nodes instead of
// decoding into a map since only nodes still know lines, equal keys, the way a
// scalar was written, and which keys came from a merge.
type converter struct {
	file         string
	words11      bool // unquoted yes, no, on and off are booleans
	datesAsTimes bool // unquoted dates become times of day
	lastKeyWins  bool

	notes     []string
	anchored  map[*yaml.Node]bool // anchors of the present document
	aliased   int
	inAliases int
	depth     int
}

func (c *converter) document(document *yaml.Node) (any, error) {
	if document.Kind == yaml.DocumentNode {
		if len(document.Content) == 0 {
			return nil, nil
		}
		document = document.Content[0]
	}
	c.anchored = map[*yaml.Node]bool{}
	c.collectAnchors(document, 0)
	return c.value(document)
}

// collectAnchors notes the anchors of a document. The reader keeps those of
// earlier documents, but an alias may only name one of its own: kubectl, which
// reads documents one by one, would refuse the file.
func (c *converter) collectAnchors(node *yaml.Node, depth int) {
	if node.Anchor != "" {
		c.anchored[node] = true
	}
	if depth > maxDepth {
		return
	}
	for _, child := range node.Content {
		c.collectAnchors(child, depth+1)
	}
}

func (c *converter) value(node *yaml.Node) (any, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return nil, c.fault(ErrTooComplex, node, "nested more than %d levels deep", maxDepth)
	}
	if c.inAliases > 0 {
		c.aliased++
		if c.aliased > maxAliased {
			return nil, c.fault(ErrTooComplex, node, "aliases repeat more than %d nodes", maxAliased)
		}
	}
	switch node.Kind {
	case yaml.MappingNode:
		return c.mapping(node)
	case yaml.SequenceNode:
		return c.sequence(node)
	case yaml.AliasNode:
		return c.alias(node)
	case yaml.ScalarNode:
		return c.scalar(node)
	case yaml.DocumentNode:
		return c.document(node)
	default:
		return nil, nil
	}
}

func (c *converter) alias(node *yaml.Node) (any, error) {
	if !c.anchored[node.Alias] {
		return nil, c.fault(ErrSyntax, node, "alias *%s names an anchor of another document", node.Value)
	}
	c.inAliases++
	defer func() { c.inAliases-- }()
	return c.value(node.Alias)
}

func (c *converter) sequence(node *yaml.Node) (any, error) {
	list := make([]any, 0, len(node.Content))
	for _, child := range node.Content {
		item, err := c.value(child)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

// mapping reads own keys first and merges afterwards, so that an own key wins
// wherever the merge stands.
func (c *converter) mapping(node *yaml.Node) (any, error) {
	result := make(map[string]any, len(node.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		keyNode := node.Content[i]
		if isMerge(keyNode) {
			merges = append(merges, node.Content[i+1])
			continue
		}
		key, err := c.key(keyNode)
		if err != nil {
			return nil, err
		}
		if _, twice := result[key]; twice {
			if err := c.setTwice(node, i, key); err != nil {
				return nil, err
			}
		}
		if result[key], err = c.value(node.Content[i+1]); err != nil {
			return nil, err
		}
	}
	for _, merge := range merges {
		if err := c.merge(result, merge); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

// setTwice reports the key at an index of a mapping that an earlier one equals.
func (c *converter) setTwice(mapping *yaml.Node, index int, key string) error {
	first := 0
	for i := 0; i < index && first == 0; i += 2 {
		if earlier, _ := c.key(mapping.Content[i]); earlier == key {
			first = mapping.Content[i].Line
		}
	}
	if c.lastKeyWins {
		c.notes = append(c.notes, fmt.Sprintf("key %q is set in line %d and again in line %d: the last one counts",
			key, first, mapping.Content[index].Line))
		return nil
	}
	return c.fault(ErrDuplicateKey, mapping.Content[index], "key %q is already set in line %d: keep one of the two", key, first)
}

// merge adds the entries of a merged mapping, or of each in a list, that are
// not there yet: what is there came from an own key or an earlier merge.
func (c *converter) merge(into map[string]any, node *yaml.Node) error {
	value, err := c.value(node)
	if err != nil {
		return err
	}
	sources, isList := value.([]any)
	if !isList {
		sources = []any{value}
	}
	for _, source := range sources {
		entries, ok := source.(map[string]any)
		if !ok {
			return c.fault(ErrSyntax, node, "<< merges something that is not a mapping")
		}
		for key, item := range entries {
			if _, set := into[key]; !set {
				into[key] = item
			}
		}
	}
	return nil
}

func (c *converter) fault(kind error, node *yaml.Node, format string, args ...any) error {
	return &Error{Kind: kind, Source: Source{File: c.file, Line: node.Line}, Message: fmt.Sprintf(format, args...)}
}
