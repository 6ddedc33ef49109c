// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"slices"
	"strings"
	"text/tabwriter"
)

// Column of a table.
type Column struct {
	Name string
	// Shrink gives a shorter form of a cell for a width; nil is never shortened.
	Shrink func(cell string, width int) string
	// Least is the width that shrinking stops at.
	Least int
	// Spare columns are left out where the table is too wide even so.
	Spare bool
}

// Grid is columns and rows of cells.
type Grid struct {
	Columns []Column
	Rows    [][]string
}

const columnGap = 2

// Text prints the table with every row on one line. Columns that may shrink do
// so, the last ones first, until the table fits the width or nothing shrinks
// further; then spare columns go.
func (t Grid) Text(s Style) string {
	for _, row := range t.Rows {
		for i := range row {
			row[i] = Clean(row[i])
		}
	}
	for i, c := range slices.Backward(t.Columns) {
		excess := t.width() - s.Columns()
		if excess <= 0 || c.Shrink == nil {
			continue
		}
		target := max(t.columnWidth(i)-excess, c.Least)
		for _, row := range t.Rows {
			row[i] = c.Shrink(row[i], target)
		}
	}
	if t.width() > s.Columns() {
		t = t.withoutSpare()
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, columnGap, ' ', 0)
	t.write(w)
	return trimLines(b.String())
}

func (t Grid) withoutSpare() Grid {
	kept := Grid{Rows: make([][]string, len(t.Rows))}
	for i, c := range t.Columns {
		if c.Spare {
			continue
		}
		kept.Columns = append(kept.Columns, c)
		for n, row := range t.Rows {
			kept.Rows[n] = append(kept.Rows[n], row[i])
		}
	}
	return kept
}

func (t Grid) write(w *tabwriter.Writer) {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	for _, row := range append([][]string{names}, t.Rows...) {
		// A strings.Builder below cannot fail.
		_, _ = w.Write([]byte(strings.Join(row, "\t") + "\n"))
	}
	_ = w.Flush()
}

func (t Grid) columnWidth(i int) int {
	width := Width(t.Columns[i].Name)
	for _, row := range t.Rows {
		width = max(width, Width(row[i]))
	}
	return width
}

func (t Grid) width() int {
	total := (len(t.Columns) - 1) * columnGap
	for i := range t.Columns {
		total += t.columnWidth(i)
	}
	return total
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
