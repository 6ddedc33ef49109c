// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package assembly

import (
	"fmt"
	"path"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// Sparse keeps the files whose path begins with one of the given ones. That is
// the letter of it: "app" also keeps "apps/x" and "app.yaml", as it does in
// Flux. A path that is not in the tree afterwards is an error of kind
// ErrMissing.
func Sparse(tree archive.Tree, paths []string) (archive.Tree, error) {
	prefixes := make([]string, len(paths))
	for i, p := range paths {
		prefixes[i] = strings.TrimPrefix(p, "./")
	}
	kept := &selection{Tree: tree}
	for _, entry := range tree.Entries() {
		for _, prefix := range prefixes {
			if strings.HasPrefix(entry.Path, prefix) {
				kept.entries = append(kept.entries, entry)
				break
			}
		}
	}
	for _, p := range paths {
		if !exists(kept.entries, inside(p)) {
			return nil, fmt.Errorf("%w: sparse checkout dir '%s' does not exist in repository", ErrMissing, p)
		}
	}
	return kept, nil
}

// selection is a part of a tree.
type selection struct {
	archive.Tree
	entries []archive.Entry
}

func (s *selection) Entries() []archive.Entry { return s.entries }

// inside reads a path as one below the root, whatever it begins with; the root
// itself is empty.
func inside(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }

// exists tells whether something has the path or lies below it.
func exists(entries []archive.Entry, p string) bool {
	if p == "" {
		return true
	}
	for _, entry := range entries {
		if entry.Path == p || strings.HasPrefix(entry.Path, p+"/") {
			return true
		}
	}
	return false
}
