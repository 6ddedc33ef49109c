// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/sourceignore/gitignore"
)

// maxIgnoreFile bounds one .sourceignore; people write kilobytes.
const maxIgnoreFile = 1 << 20

// maxLinks bounds a chain of symbolic links to an ignore file.
const maxLinks = 10

// rules decides which paths stay out. The defaults apply only where nobody
// wrote a pattern: one custom pattern switches all of them off.
func rules(tree Tree, nodes []node, extra *string) (gitignore.Matcher, error) {
	byPath := make(map[string]Entry, len(nodes))
	for _, n := range nodes {
		byPath[n.entry.Path] = n.entry
	}
	var patterns []gitignore.Pattern
	for _, n := range ignoreFiles(nodes) {
		content, err := readIgnoreFile(tree, byPath, n.entry)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, sourceignore.ReadPatterns(bytes.NewReader(content), domain(n.entry.Path))...)
	}
	if extra != nil {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(*extra), nil)...)
	}
	if len(patterns) == 0 {
		return sourceignore.NewDefaultMatcher(nil, nil), nil
	}
	return sourceignore.NewMatcher(append(sourceignore.VCSPatterns(nil), patterns...)), nil
}

// ignoreFiles gives the ignore files with that of a folder before those of the
// folders in it, which is how a later, deeper pattern wins.
func ignoreFiles(nodes []node) []node {
	byFolder := map[string]node{}
	for _, n := range nodes {
		if path.Base(n.entry.Path) == sourceignore.IgnoreFile && !n.folder {
			byFolder[parent(n.entry.Path)] = n
		}
	}
	var files []node
	if n, found := byFolder[""]; found {
		files = append(files, n)
	}
	for _, n := range nodes {
		if file, found := byFolder[n.entry.Path]; found && n.folder {
			files = append(files, file)
		}
	}
	return files
}

// domain is the folder of an ignore file, as its components: its patterns hold
// there only.
func domain(ignoreFile string) []string {
	folder := parent(ignoreFile)
	if folder == "" {
		return nil
	}
	return strings.Split(folder, "/")
}

// readIgnoreFile follows links inside the tree, as opening the file in a
// checkout would. A link to nothing or to a folder is no ignore file.
func readIgnoreFile(tree Tree, byPath map[string]Entry, entry Entry) ([]byte, error) {
	start := entry.Path
	for range maxLinks {
		if entry.Kind == Folder {
			return nil, nil
		}
		if entry.Size > maxIgnoreFile {
			return nil, fmt.Errorf("%w %q: it has %d bytes, at most %d are read", ErrIgnoreFile, start, entry.Size, maxIgnoreFile)
		}
		var content bytes.Buffer
		if err := tree.Copy(&content, entry); err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrIgnoreFile, start, err)
		}
		if entry.Kind != Symlink {
			return content.Bytes(), nil
		}
		next, err := follow(byPath, entry.Path, content.String())
		if err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrIgnoreFile, start, err)
		}
		found := false
		if entry, found = byPath[next]; !found {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%w %q: more than %d symbolic links", ErrIgnoreFile, start, maxLinks)
}

// follow gives where a link leads. One that leaves the tree would read the
// controller's own disk, and is refused.
func follow(byPath map[string]Entry, link, target string) (string, error) {
	next := path.Join(parent(link), target)
	switch {
	case strings.HasPrefix(target, "/"), next == "..", strings.HasPrefix(next, "../"):
		return "", fmt.Errorf("it is a symbolic link to %q, outside the repository", target)
	case throughLink(byPath, next):
		return "", fmt.Errorf("it is a symbolic link to %q, which passes through another link", target)
	}
	return next, nil
}

// throughLink tells whether a folder on the way is a symbolic link itself.
func throughLink(byPath map[string]Entry, file string) bool {
	for dir := parent(file); dir != ""; dir = parent(dir) {
		if entry, found := byPath[dir]; found && entry.Kind == Symlink {
			return true
		}
	}
	return false
}
