// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

const (
	heading = "## One change, three answers"
	total   = "| cases judged right |"
	// remark begins what a person adds to a cell.
	remark = "<br>"
	ours   = 3 // the column of Holdfast, counted with the empty one before the first bar
)

// reference is what a row is about: the first name in quotes.
var reference = regexp.MustCompile("`([^`]+)`")

// written gives the document with our column and our total as they are.
func written(text, root string, cases map[string]casefile.Case) (string, error) {
	lines := strings.Split(text, "\n")
	inTable, rows := false, 0
	for i, line := range lines {
		if strings.HasPrefix(line, "## ") {
			inTable = line == heading
		}
		cells := strings.Split(line, "|")
		switch {
		case strings.HasPrefix(line, total) && len(cells) > 2:
			cells[2] = fmt.Sprintf(" all %d of this repository, each in every way that applies to it (`make comparison`) ", len(cases))
			lines[i] = strings.Join(cells, "|")
		case inTable && len(cells) > ours+1 && reference.MatchString(cells[2]):
			said, err := cell(reference.FindStringSubmatch(cells[2])[1], root, cases)
			if err != nil {
				return "", fmt.Errorf("%s: %w", strings.TrimSpace(cells[1]), err)
			}
			if _, added, ok := strings.Cut(cells[ours], remark); ok {
				said += remark + strings.TrimSpace(added)
			}
			cells[ours] = " " + said + " "
			lines[i] = strings.Join(cells, "|")
			rows++
		}
	}
	if rows == 0 {
		return "", fmt.Errorf("no row below %q names a case", heading)
	}
	return strings.Join(lines, "\n"), nil
}

// cell is what Holdfast says of a case or a scenario.
func cell(name, root string, cases map[string]casefile.Case) (string, error) {
	if strings.HasSuffix(name, ".txtar") {
		return toldIn(filepath.Join(root, filepath.FromSlash(name)))
	}
	name = strings.TrimPrefix(name, "tests/cases/")
	c, known := cases[name]
	if !known {
		c, known = cases["drift/"+path.Base(name)]
	}
	if !known {
		return "", fmt.Errorf("there is no case %s", name)
	}
	return judged(c.Expect), nil
}

// mostEntries of a case that a cell holds.
const mostEntries = 2

// judged puts the verdict of a case into a cell.
func judged(e casefile.Expect) string {
	var parts []string
	if e.Drift != nil {
		for _, entry := range *e.Drift {
			parts = append(parts, entryText(entry))
		}
	}
	for _, entry := range e.Explained {
		if entry.Class != "default" {
			parts = append(parts, entryText(entry)+": explained")
		}
	}
	if e.Render != nil && e.Render.Warn != "" {
		parts = append(parts, "warned: "+e.Render.Warn)
	}
	if len(parts) == 0 {
		return "nothing counts"
	}
	if more := len(parts) - mostEntries; more > 0 {
		parts = append(parts[:mostEntries], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

func entryText(e casefile.Entry) string {
	text := "`" + string(verdict.ClassOf(e.Class)) + "`"
	switch {
	case e.Keyed != "":
		text += " at `" + e.Keyed + "`"
	case e.Path != "":
		text += " at `" + e.Path + "`"
	}
	switch {
	case e.By == "unknown":
		text += ", writer unknown"
	case e.By != "":
		text += ", by " + e.By
	}
	if e.Redact {
		text += ", masked"
	}
	return text
}

// entryLine is an entry as scenarios have it: drift Kind/name /path Class Kind by manager.
var entryLine = regexp.MustCompile(`^(?:drift|shown) (\S+/\S+) (?:(/\S+) )?([A-Z][a-z]+)(?: [A-Z][a-z]+)?(?: by (.+))?$`)

// toldIn gives the entries of the first report that a scenario holds.
func toldIn(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var parts []string
	for line := range strings.Lines(string(text)) {
		m := entryLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			if strings.HasPrefix(line, "-- ") && len(parts) > 0 {
				break
			}
			continue
		}
		part := "`" + m[3] + "` " + m[1]
		if m[2] != "" {
			part = "`" + m[3] + "` at `" + m[2] + "`"
		}
		if m[4] != "" {
			part += ", by " + m[4]
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("%s holds no report", file)
	}
	return strings.Join(parts, "; "), nil
}
