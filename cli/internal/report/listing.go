// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Listing is a table of objects.
type Listing struct {
	Items []Item
	// Columns of the table; those marked wide are for -o wide.
	Columns       []ListingColumn
	WithNamespace bool
	Wide          bool
	Now           time.Time
}

// Item is one object with its cells.
type Item struct {
	Object metav1.Object
	// Name is KIND.GROUP/NAME, as -o name prints it.
	Name string
	// Cells gives a cell for each column.
	Cells func(now time.Time) []string
}

// ListingColumn is a column; those marked wide are for -o wide.
type ListingColumn struct {
	Name string
	Wide bool
	// Cut columns are shortened where the table is too wide.
	Cut bool
}

// Only keeps the named ones; one that is not there is an error.
func (l Listing) Only(names []string) (Listing, error) {
	if len(names) == 0 {
		return l, nil
	}
	kept := l
	kept.Items = nil
	for _, name := range names {
		at := slices.IndexFunc(l.Items, func(i Item) bool { return i.Object.GetName() == name })
		if at < 0 {
			return kept, fmt.Errorf("there is no %s here; there are %s", name, l.titles())
		}
		kept.Items = append(kept.Items, l.Items[at])
	}
	return kept, nil
}

func (l Listing) titles() string {
	names := make([]string, 0, len(l.Items))
	for _, i := range l.Items {
		names = append(names, i.Object.GetName())
	}
	if len(names) == 0 {
		return "none"
	}
	const most = 8
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}

// Text is the table.
func (l Listing) Text(s screen.Style) string {
	l.sort()
	t := screen.Grid{Columns: l.columns()}
	for _, i := range l.Items {
		t.Rows = append(t.Rows, l.row(i))
	}
	return t.Text(s)
}

func (l Listing) columns() []screen.Column {
	var all []screen.Column
	if l.WithNamespace {
		all = append(all, screen.Column{Name: "NAMESPACE"})
	}
	for _, c := range l.Columns {
		column := screen.Column{Name: c.Name}
		if c.Cut && !l.Wide {
			column.Shrink, column.Least = screen.Cut, 12
		}
		if !c.Wide || l.Wide {
			all = append(all, column)
		}
	}
	return all
}

func (l Listing) row(i Item) []string {
	var row []string
	if l.WithNamespace {
		row = append(row, i.Object.GetNamespace())
	}
	for n, cell := range i.Cells(l.Now) {
		if !l.Columns[n].Wide || l.Wide {
			row = append(row, oneLine(cell))
		}
	}
	return row
}

func oneLine(cell string) string { return strings.Join(strings.Fields(cell), " ") }

func (l Listing) sort() {
	slices.SortFunc(l.Items, func(a, b Item) int {
		return strings.Compare(a.Object.GetNamespace()+"/"+a.Name, b.Object.GetNamespace()+"/"+b.Name)
	})
}

// Names of the objects.
func (l Listing) Names() []string {
	l.sort()
	names := make([]string, 0, len(l.Items))
	for _, i := range l.Items {
		names = append(names, i.Name)
	}
	return names
}

// Value is a List of the objects, as kubectl gives it.
func (l Listing) Value() any {
	l.sort()
	items := make([]any, 0, len(l.Items))
	for _, i := range l.Items {
		i.Object.SetManagedFields(nil)
		items = append(items, i.Object)
	}
	return map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
}
