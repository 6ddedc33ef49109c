// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import "strings"

// nearest finds the name that was probably meant: one that contains the other
// (a prefix that was not rewritten), or else the one with the fewest typing
// errors, if these are few.
func nearest(name string, candidates []string) string {
	best, least := "", len(name)/2+1
	for _, candidate := range candidates {
		if candidate == name || candidate == "" {
			continue
		}
		if strings.Contains(candidate, name) || strings.Contains(name, candidate) {
			return candidate
		}
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts insertions, deletions and substitutions (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// suggestion is the end of a message that offers the nearest name.
func suggestion(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
