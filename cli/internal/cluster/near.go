// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// suggestions is how many near names are worth reading.
const suggestions = 3

// Near gives Applications that may have been meant, the likeliest first, as
// the arguments that name them: the same name elsewhere, a name that holds the
// given one or is held by it, or one that differs in few letters.
func Near(namespace, name string, apps []v1alpha1.Application) []string {
	type candidate struct {
		text     string
		distance int
	}
	var found []candidate
	for i := range apps {
		d := distance(name, apps[i].Name)
		if strings.Contains(apps[i].Name, name) || strings.Contains(name, apps[i].Name) {
			d = min(d, 1)
		}
		if d > max(len(name)/3, 1) {
			continue
		}
		text := apps[i].Name
		if apps[i].Namespace != namespace {
			text += " -n " + apps[i].Namespace
		}
		found = append(found, candidate{text, d})
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.text, b.text))
	})
	var names []string
	for _, c := range found[:min(len(found), suggestions)] {
		names = append(names, c.text)
	}
	return names
}

// distance is Levenshtein's: letters to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}
