// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// editor makes one edit in one document.
type editor struct {
	*text
	root *yaml.Node
}

// spot is where a value stands.
type spot struct {
	node   *yaml.Node
	holder *yaml.Node // the mapping or list around it; nil for the document
	index  int        // of the value in the holder's content
	flow   bool       // within brackets
}

// key of the value, if it stands in a mapping.
func (s spot) key() *yaml.Node {
	if s.holder == nil || s.holder.Kind != yaml.MappingNode {
		return nil
	}
	return s.holder.Content[s.index-1]
}

// find follows a path as far as the text has it; rest is what it has not.
func (e *editor) find(path fieldpath.Path) (at spot, rest fieldpath.Path, err error) {
	at = spot{node: e.root}
	for i, step := range path {
		if at.node.Kind == yaml.AliasNode {
			return at, nil, fmt.Errorf("%w: %s leads through *%s", ErrShared, keyedpath.Pointer(path), at.node.Value)
		}
		flow := at.flow || at.node.Style&yaml.FlowStyle != 0
		index, err := indexIn(at.node, step)
		if err != nil {
			return at, nil, err
		}
		if index < 0 {
			return at, path[i:], nil
		}
		at = spot{node: at.node.Content[index], holder: at.node, index: index, flow: flow}
	}
	return at, nil, nil
}

// indexIn is the place of a step in the content of a node, or -1.
func indexIn(node *yaml.Node, step fieldpath.PathElement) (int, error) {
	switch {
	case step.FieldName != nil && node.Kind == yaml.MappingNode:
		if i := indexOfKey(node, *step.FieldName); i >= 0 {
			return i + 1, nil
		}
		return -1, nil
	case step.FieldName == nil && node.Kind == yaml.SequenceNode:
		value, err := decode(node)
		if err != nil {
			return -1, err
		}
		items, _ := value.([]any)
		return keyedpath.IndexOf(items, step), nil
	case isNothing(node):
		return -1, nil
	}
	return -1, fmt.Errorf("%w: there is nothing to put %s into", ErrShape, step)
}

// isNothing: a null, which may become a mapping or a list.
func isNothing(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

func (e *editor) apply(edit Edit) ([]byte, error) {
	at, rest, err := e.find(edit.Path)
	switch {
	case err != nil:
		return nil, err
	case edit.Remove && len(rest) > 0:
		return nil, fmt.Errorf("%w: %s is not in it", ErrShape, keyedpath.Pointer(edit.Path))
	case edit.Remove:
		return e.remove(at)
	case len(rest) == 0:
		return e.replace(at, edit.Value)
	case isNothing(at.node) || len(at.node.Content) == 0:
		return e.replace(at, nest(rest, edit.Value))
	}
	value := nest(rest, edit.Value)
	switch v := value.(type) {
	case map[string]any:
		return e.addField(at, *rest[0].FieldName, v)
	case []any:
		return e.addItem(at, v)
	}
	return nil, fmt.Errorf("%w: %s cannot be added", ErrShape, keyedpath.Pointer(edit.Path))
}

// replace puts a value where another one stands.
func (e *editor) replace(at spot, value any) ([]byte, error) {
	if at.holder == nil {
		return nil, fmt.Errorf("%w: it is the whole document", ErrShape)
	}
	key := at.key()
	from, to, err := e.extent(at)
	if err != nil {
		return nil, err
	}
	lead := ""
	if key != nil && (empty(at.node) || isBlock(at.node)) {
		if from, err = e.afterColon(key); err != nil {
			return nil, err
		}
		lead = " "
	}
	if at.flow {
		text, err := flowText(value, e.quotesKeys(at.holder))
		return e.splice(from, to, lead+text), err
	}
	indentation := strings.Repeat(" ", e.column(at)+indentStep)
	if !composite(value) {
		text, err := scalarText(value, at.node, e.indentOf(at, indentation))
		return e.splice(from, to, lead+text), err
	}
	if key == nil {
		text, err := blockText(value, indentation)
		return e.splice(from, to, text), err
	}
	text, err := blockText(value, indentation)
	if isBlock(at.node) { // what stands behind the colon, a comment, stays
		first, wrong := e.offset(at.node.Content[0])
		if wrong != nil {
			return nil, wrong
		}
		return e.splice(e.lineStart(first), to, indentation+text), err
	}
	if from, wrong := e.afterColon(key); wrong == nil {
		return e.splice(from, to, "\n"+indentation+text), err
	}
	return nil, err
}

func isBlock(n *yaml.Node) bool {
	return (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && n.Style&yaml.FlowStyle == 0
}

// extent of a value, without anchor and tag.
func (e *editor) extent(at spot) (from, to int, err error) {
	if empty(at.node) {
		if at.key() == nil {
			return 0, 0, fmt.Errorf("%w: an empty list item", ErrShape)
		}
		from, err = e.afterColon(at.key())
		return from, from, err
	}
	if from, err = e.offset(at.node); err != nil {
		return 0, 0, err
	}
	from = e.content(from)
	to, err = e.end(at.node, e.column(at))
	return from, to, err
}

// column, from 0, of the key or dash that the value stands behind.
func (e *editor) column(at spot) int {
	if key := at.key(); key != nil {
		return key.Column - 1
	}
	if dash, err := e.dash(at.node); err == nil {
		return dash - e.lineStart(dash)
	}
	return max(at.node.Column-1-indentStep, 0)
}

// dash is the offset of the dash in front of a list item.
func (e *editor) dash(item *yaml.Node) (int, error) {
	at, err := e.offset(item)
	if err != nil {
		return 0, err
	}
	for i := at - 1; i >= e.lineStart(at); i-- {
		if e.data[i] == '-' {
			return i, nil
		}
		if e.data[i] != ' ' {
			break
		}
	}
	return 0, fmt.Errorf("%w: a list item has no dash on its line", ErrShape)
}

// indentOf is the indentation of the lines of the block scalar that stands
// there, so that only lines that change change; else the given one.
func (e *editor) indentOf(at spot, otherwise string) string {
	if at.node.Kind != yaml.ScalarNode || at.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		return otherwise
	}
	start, err := e.offset(at.node)
	if err != nil {
		return otherwise
	}
	for line := e.lineOf(start) + 1; line < len(e.starts); line++ {
		content := string(e.data[e.starts[line]:e.lineEnd(e.starts[line])])
		trimmed := strings.TrimLeft(content, " ")
		if trimmed != "" && len(content)-len(trimmed) > e.column(at) {
			return content[:len(content)-len(trimmed)]
		}
	}
	return otherwise
}

// quotesKeys: a text in brackets that puts its keys in quotes is JSON.
func (e *editor) quotesKeys(holder *yaml.Node) bool {
	return holder.Kind == yaml.MappingNode && len(holder.Content) > 0 && holder.Content[0].Style&yaml.DoubleQuotedStyle != 0
}
