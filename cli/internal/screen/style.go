// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package screen

import "time"

// DefaultWidth is the width of text that does not go to a terminal.
const DefaultWidth = 100

// Style says how text looks.
type Style struct {
	// Width in columns that text is fitted into where it can be.
	Width int
	// Colour switches ANSI colours on.
	Colour bool
	// Zone of the times that are printed as dates; nil is UTC.
	Zone *time.Location
}

// Columns is the width that holds.
func (s Style) Columns() int {
	if s.Width <= 0 {
		return DefaultWidth
	}
	return s.Width
}

// Date prints a time to the minute.
func (s Style) Date(t time.Time) string { return t.In(s.zone()).Format("2006-01-02 15:04") }

// Day prints a time to the day.
func (s Style) Day(t time.Time) string { return t.In(s.zone()).Format("2006-01-02") }

func (s Style) zone() *time.Location {
	if s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}

// Span is a piece of a line in one colour.
type Span struct {
	text  string
	paint string
}

// Plain is text as it is.
func Plain(text string) Span { return Span{text, ""} }

// Bold is for what a reader looks for first: objects.
func Bold(text string) Span { return Span{text, "1"} }

// Dim is for what explains, and is read last.
func Dim(text string) Span { return Span{text, "2"} }

// Red is for live values, and for what must not be missed.
func Red(text string) Span { return Span{text, "31"} }

// Green is for Git's values, and for what is known to be in sync.
func Green(text string) Span { return Span{text, "32"} }

// Yellow is for what differs.
func Yellow(text string) Span { return Span{text, "33"} }

// with gives another text the same colour.
func (s Span) with(text string) Span { return Span{text, s.paint} }
