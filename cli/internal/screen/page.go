// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package screen

import "strings"

// Page gathers lines. Every text passes through Clean on its way in, so that
// no caller can forget it.
type Page struct {
	style Style
	b     strings.Builder
}

// NewPage is an empty page.
func NewPage(s Style) *Page { return &Page{style: s} }

// Style of the page.
func (p *Page) Style() Style { return p.style }

func (p *Page) String() string { return p.b.String() }

// Blank writes an empty line.
func (p *Page) Blank() { p.b.WriteByte('\n') }

// Line writes one line of spans, without trailing blanks.
func (p *Page) Line(indent int, spans ...Span) {
	for len(spans) > 0 && strings.TrimSpace(spans[len(spans)-1].text) == "" {
		spans = spans[:len(spans)-1]
	}
	p.b.WriteString(strings.Repeat(" ", indent))
	for i, s := range spans {
		text := Clean(s.text)
		if i == len(spans)-1 {
			text = strings.TrimRight(text, " ")
		}
		p.b.WriteString(p.coloured(s.with(text)))
	}
	p.b.WriteByte('\n')
}

func (p *Page) coloured(s Span) string {
	if !p.style.Colour || s.paint == "" || s.text == "" {
		return s.text
	}
	return "\x1b[" + s.paint + "m" + s.text + "\x1b[0m"
}

// Prose writes text as lines that fit the width, the later ones indented by
// hang more. A word that is wider than the line stands alone on one; spaces
// within a line stay as they are. No text is no line.
func (p *Page) Prose(indent, hang int, s Span) {
	room := p.style.Columns() - indent
	line := ""
	for _, word := range strings.Split(strings.Join(strings.FieldsFunc(s.text, isBreak), " "), " ") {
		if strings.TrimSpace(line) != "" && Width(line)+1+Width(word) > room {
			p.Line(indent, s.with(line))
			if hang > 0 {
				indent, room, hang = indent+hang, room-hang, 0
			}
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if strings.TrimSpace(line) != "" {
		p.Line(indent, s.with(line))
	}
}

func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }

// Verbatim writes text that must stay on one line, if there is any.
func (p *Page) Verbatim(indent int, s Span) {
	if s.text != "" {
		p.Line(indent, s)
	}
}

// Labelled writes a path or name with a word on its right, from the given
// column on or closer where the line is full, and below it as a last resort.
func (p *Page) Labelled(indent, column int, left, right Span) {
	used := indent + wide(left)
	gap := max(column-used, minGap)
	if used+gap+wide(right) > p.style.Columns() {
		gap = max(p.style.Columns()-used-wide(right), minGap)
	}
	if used+gap+wide(right) <= p.style.Columns() {
		p.Line(indent, left, pad(gap), right)
		return
	}
	p.Line(indent, left)
	p.Line(indent+minGap, right)
}

const minGap = 2

// Side is a value with a remark. The remark stands from Column on, or below
// the value, indented by Hang more, so that remarks stand in one place.
type Side struct {
	Indent, Hang, Column int
	Label, Value, Remark Span
}

// Beside writes a value and its remark.
func (p *Page) Beside(s Side) {
	used := s.Indent + wide(s.Label, s.Value)
	gap := max(s.Column-used, minGap)
	if used+gap+wide(s.Remark) <= p.style.Columns() {
		p.Line(s.Indent, s.Label, s.Value, pad(gap), s.Remark)
		return
	}
	p.Line(s.Indent, s.Label, s.Value)
	p.Line(s.Indent+s.Hang, s.Remark)
}

func pad(n int) Span { return Plain(strings.Repeat(" ", n)) }

// Joined writes spans on one line, and the last one below where it does not fit.
func (p *Page) Joined(spans []Span, last Span) {
	const gap = 3
	if wide(spans...)+gap+wide(last) <= p.style.Columns() {
		p.Line(0, append(spans, pad(gap), last)...)
		return
	}
	p.Line(0, spans...)
	p.Line(0, last)
}

// Fits says whether the spans, with an indent, stand on one line.
func (p *Page) Fits(indent int, spans ...Span) bool {
	return indent+wide(spans...) <= p.style.Columns()
}
