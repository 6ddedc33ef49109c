// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package terminal is where a verb's words go, and how they may look there.
//
// In: the standard streams and the environment. Out: writers, the Style for
// reports, and a clock. It is the only package of the CLI that reads the
// environment or the time for printing; it never writes anything itself.
package terminal

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// The widths that text is fitted into on a terminal: narrower ones wrap
// whatever is done, wider ones make lines that no eye follows.
const (
	least = 80
	most  = 160
)

// Terminal is what a verb prints to.
type Terminal struct {
	Out   io.Writer
	Err   io.Writer
	Style screen.Style
	// Now is the clock that ages are told by.
	Now func() time.Time
}

// Of looks at the standard streams. Colour needs a terminal, and NO_COLOR and
// TERM=dumb switch it off.
func Of(out, err *os.File, getenv func(string) string) Terminal {
	t := Terminal{Out: out, Err: err, Now: time.Now, Style: screen.Style{Zone: time.Local}}
	fd := int(out.Fd())
	if !term.IsTerminal(fd) {
		return t
	}
	t.Style.Colour = wantsColour(getenv)
	if width, _, err := term.GetSize(fd); err == nil && width > 0 {
		t.Style.Width = min(max(width, least), most)
	}
	return t
}

func wantsColour(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// Print writes a document in a format.
func (t Terminal) Print(d screen.Document, f screen.Format) error {
	text, err := screen.Print(d, f, t.Style)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(t.Out, text)
	return err
}
