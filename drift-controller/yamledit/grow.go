// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// addField puts a key behind the last one of a mapping.
func (e *editor) addField(at spot, name string, field map[string]any) ([]byte, error) {
	mapping := at.node
	if mapping.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%w: %s belongs into a mapping", ErrShape, name)
	}
	if at.flow || mapping.Style&yaml.FlowStyle != 0 {
		text, err := flowText(field, e.quotesKeys(mapping))
		if err != nil {
			return nil, err
		}
		return e.addInBrackets(mapping, strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	}
	end, err := e.end(mapping, mapping.Content[0].Column-1)
	if err != nil {
		return nil, err
	}
	indentation := strings.Repeat(" ", mapping.Content[0].Column-1)
	text, err := blockText(field, indentation)
	return e.splice(e.lineEnd(end), e.lineEnd(end), "\n"+indentation+text), err
}

// addInBrackets puts text behind the last value within brackets.
func (e *editor) addInBrackets(holder *yaml.Node, text string) ([]byte, error) {
	last := holder.Content[len(holder.Content)-1]
	var end int
	var err error
	if empty(last) && holder.Kind == yaml.MappingNode {
		end, err = e.afterColon(holder.Content[len(holder.Content)-2])
	} else {
		end, err = e.end(last, 0)
	}
	if err != nil {
		return nil, err
	}
	separator := ", "
	if first, wrong := e.offset(holder.Content[0]); wrong == nil && e.blankBefore(first) {
		// One a line, as JSON is usually printed.
		separator = ",\n" + strings.Repeat(" ", holder.Content[0].Column-1)
	}
	return e.splice(end, end, separator+text), nil
}

// addItem puts items behind the last one of a list.
func (e *editor) addItem(at spot, items []any) ([]byte, error) {
	list := at.node
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%w: an item belongs into a list", ErrShape)
	}
	if at.flow || list.Style&yaml.FlowStyle != 0 {
		text, err := flowText(items, false)
		if err != nil {
			return nil, err
		}
		return e.addInBrackets(list, strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	}
	dash, err := e.dash(list.Content[0])
	if err != nil {
		return nil, err
	}
	column := dash - e.lineStart(dash)
	end, err := e.end(list, column)
	if err != nil {
		return nil, err
	}
	indentation := strings.Repeat(" ", column)
	text, err := blockText(items, indentation)
	return e.splice(e.lineEnd(end), e.lineEnd(end), "\n"+indentation+text), err
}

// remove takes a value away, with its key or dash. The last one of its holder
// leaves an empty mapping or list, which is not the same as nothing.
func (e *editor) remove(at spot) ([]byte, error) {
	if at.holder == nil {
		return nil, fmt.Errorf("%w: it is the whole document", ErrShape)
	}
	width := 1
	if at.key() != nil {
		width = 2
	}
	if len(at.holder.Content) == width {
		return e.emptied(at)
	}
	from, to, err := e.whole(at, width)
	if err != nil {
		return nil, err
	}
	next := at.index + 1
	switch {
	case !at.flow && e.blankBefore(from):
		return e.splice(e.lineStart(from), e.nextLine(to), ""), nil
	case next < len(at.holder.Content): // it shares its line with what comes before
		following, err := e.offset(at.holder.Content[next])
		return e.splice(from, following, ""), err
	}
	previous := spot{node: at.holder.Content[at.index-width], holder: at.holder, index: at.index - width, flow: at.flow}
	_, before, err := e.whole(previous, width)
	return e.splice(before, to, ""), err
}

// whole is the extent of a value with its key or dash.
func (e *editor) whole(at spot, width int) (from, to int, err error) {
	if _, to, err = e.extent(at); err != nil {
		return 0, 0, err
	}
	switch {
	case width == 2:
		from, err = e.offset(at.key())
	case at.flow:
		from, err = e.offset(at.node)
	default:
		from, err = e.dash(at.node)
	}
	return from, to, err
}

// emptied writes {} or [] in place of the holder.
func (e *editor) emptied(at spot) ([]byte, error) {
	holder := e.spotOf(e.root, at.holder, spot{node: e.root})
	if holder.holder == nil {
		return nil, fmt.Errorf("%w: it is all that the document has", ErrShape)
	}
	if at.holder.Kind == yaml.MappingNode {
		return e.replace(holder, map[string]any{})
	}
	return e.replace(holder, []any{})
}

// spotOf finds where a node of the document stands.
func (e *editor) spotOf(within, wanted *yaml.Node, known spot) spot {
	for i, child := range within.Content {
		s := spot{node: child, holder: within, index: i, flow: known.flow || within.Style&yaml.FlowStyle != 0}
		if child == wanted {
			return s
		}
		if found := e.spotOf(child, wanted, s); found.holder != nil {
			return found
		}
	}
	return spot{}
}
