// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// text is a file with its lines as the YAML reader counts them.
type text struct {
	data    []byte
	starts  []int  // offset of each line
	newline string // of the file: the first one
}

// newText finds the lines. To YAML 1.1 three more characters end a line.
func newText(data []byte) *text {
	t := &text{data: data, starts: []int{0}, newline: "\n"}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			size = 2
		}
		if i += size; r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			t.starts = append(t.starts, i)
		}
	}
	if len(t.starts) > 1 && bytes.HasSuffix(data[:t.starts[1]], []byte("\r\n")) {
		t.newline = "\r\n"
	}
	return t
}

// ended gives text the line ends of the file.
func (t *text) ended(s string) string {
	if t.newline == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", t.newline)
}

// offset of a node: lines and columns count from 1, columns in characters.
func (t *text) offset(n *yaml.Node) (int, error) {
	if n.Line < 1 || n.Line > len(t.starts) {
		return 0, fmt.Errorf("%w: a value has no place in it", ErrShape)
	}
	at := t.starts[n.Line-1]
	if n.Line == 1 && bytes.HasPrefix(t.data, []byte("\ufeff")) {
		at += len("\ufeff")
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(t.data[at:])
		at += size
	}
	return at, nil
}

// lineStart is the offset at which the line of an offset starts.
func (t *text) lineStart(offset int) int { return t.starts[t.lineOf(offset)] }

func (t *text) lineOf(offset int) int {
	i, found := slices.BinarySearch(t.starts, offset)
	if found {
		return i
	}
	return i - 1
}

// lineEnd is the offset of the line break that ends the line of an offset.
func (t *text) lineEnd(offset int) int {
	next := t.nextLine(offset)
	return len(bytes.TrimRight(t.data[:next], "\r\n"))
}

// nextLine is the offset after that break, or the end of the file.
func (t *text) nextLine(offset int) int {
	if line := t.lineOf(offset) + 1; line < len(t.starts) {
		return t.starts[line]
	}
	return len(t.data)
}

// blankBefore says whether nothing but spaces stands before it on its line.
func (t *text) blankBefore(offset int) bool {
	return len(bytes.TrimLeft(t.data[t.lineStart(offset):offset], " ")) == 0
}

// content skips the anchor and the tag in front of a value.
func (t *text) content(offset int) int {
	for offset < len(t.data) && (t.data[offset] == '&' || t.data[offset] == '!') {
		for offset < len(t.data) && !unicode.IsSpace(rune(t.data[offset])) {
			offset++
		}
		for offset < len(t.data) && unicode.IsSpace(rune(t.data[offset])) {
			offset++
		}
	}
	return offset
}

// end of a value. parent is the column, from 0, of the key or dash that it
// stands behind.
func (t *text) end(n *yaml.Node, parent int) (int, error) {
	start, err := t.offset(n)
	if err != nil {
		return 0, err
	}
	start = t.content(start)
	switch {
	case n.Kind == yaml.AliasNode:
		return start + 1 + len(n.Value), nil
	case n.Kind == yaml.ScalarNode:
		return t.endOfScalar(n, start, parent)
	case n.Style&yaml.FlowStyle != 0:
		return t.endOfFlow(n, start)
	case len(n.Content) == 0:
		return 0, fmt.Errorf("%w: an empty value has no end", ErrShape)
	}
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.SequenceNode {
		return t.end(last, parent+1)
	}
	key := n.Content[len(n.Content)-2]
	if empty(last) {
		return t.afterColon(key)
	}
	return t.end(last, key.Column-1)
}

// empty: nothing is written, and nothing is meant.
func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" && n.Anchor == ""
}

func (t *text) endOfScalar(n *yaml.Node, start, parent int) (int, error) {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return t.endOfQuoted(start, '"', '\\')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return t.endOfQuoted(start, '\'', '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return t.endOfBlock(start, parent), nil
	}
	return t.endOfPlain(start, n.Value)
}

func (t *text) endOfQuoted(start int, quote, escape byte) (int, error) {
	for i := start + 1; i < len(t.data); i++ {
		switch {
		case t.data[i] == escape && i+1 < len(t.data) && (escape != quote || t.data[i+1] == quote):
			i++
		case t.data[i] == quote:
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("%w: a quoted text has no end", ErrShape)
}

// endOfBlock is the end of the last line that is indented more than the parent.
func (t *text) endOfBlock(start, parent int) int {
	end := t.lineEnd(start)
	for line := t.lineOf(start) + 1; line < len(t.starts); line++ {
		from := t.starts[line]
		content := bytes.TrimRight(t.data[from:t.nextLine(from)], "\r\n")
		trimmed := bytes.TrimLeft(content, " ")
		if len(trimmed) == 0 {
			continue
		}
		if len(content)-len(trimmed) <= parent {
			break
		}
		end = from + len(content)
	}
	return end
}

// endOfPlain follows the words of a text, which may run over several lines.
func (t *text) endOfPlain(start int, value string) (int, error) {
	at := start
	for i := 0; i < len(value); {
		if !isSpace(value[i]) {
			if at >= len(t.data) || t.data[at] != value[i] {
				return 0, fmt.Errorf("%w: a text is not found where it should be", ErrShape)
			}
			at, i = at+1, i+1
			continue
		}
		for i < len(value) && isSpace(value[i]) {
			i++
		}
		for at < len(t.data) && isSpace(t.data[at]) {
			at++
		}
	}
	return at, nil
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// endOfFlow looks behind the last value for the bracket that closes.
func (t *text) endOfFlow(n *yaml.Node, start int) (int, error) {
	at := start + 1
	for i, inner := range n.Content {
		if empty(inner) {
			continue
		}
		end, err := t.end(inner, 0)
		if err != nil {
			return 0, err
		}
		at = end
		if n.Kind == yaml.MappingNode && i%2 == 0 && empty(n.Content[i+1]) {
			at = bytes.IndexByte(t.data[at:], ':') + at + 1
		}
	}
	closing := byte(']')
	if n.Kind == yaml.MappingNode {
		closing = '}'
	}
	for ; at < len(t.data); at++ {
		switch {
		case t.data[at] == closing:
			return at + 1, nil
		case t.data[at] == '#':
			at = t.lineEnd(at)
		case !isSpace(t.data[at]) && t.data[at] != ',':
			return 0, fmt.Errorf("%w: a bracket has no end", ErrShape)
		}
	}
	return 0, fmt.Errorf("%w: a bracket has no end", ErrShape)
}

// afterColon is the offset behind the colon of a key.
func (t *text) afterColon(key *yaml.Node) (int, error) {
	end, err := t.end(key, 0)
	if err != nil {
		return 0, err
	}
	for end < len(t.data) && (t.data[end] == ' ' || t.data[end] == '\t') {
		end++
	}
	if end >= len(t.data) || t.data[end] != ':' {
		return 0, fmt.Errorf("%w: a key has no colon behind it", ErrShape)
	}
	return end + 1, nil
}

// splice replaces a part of the text.
func (t *text) splice(from, to int, with string) []byte {
	return slices.Concat(t.data[:from], []byte(t.ended(with)), t.data[to:])
}
