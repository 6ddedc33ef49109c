// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// document is a Markdown file that people are sent to.
type document struct {
	path string
	text string
}

func documents(t *testing.T) []document {
	t.Helper()
	var found []document
	read := func(file string) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, document{filepath.ToSlash(file), string(text)})
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "REVIEWING.md", "AGENTS.md"} {
		read(name)
	}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".md") {
			relative, _ := filepath.Rel(root, file)
			read(relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	quoted  = regexp.MustCompile("`([^`\n]+)`")
	linked  = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	pathish = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)*/?$`)
	// placeholder is what the reader fills in.
	placeholder = regexp.MustCompile(`\b[A-Z]{3,}\b`)
	target      = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
)

// foreign are first steps of names that look like paths and are none: other
// projects, API groups with their kinds, images.
var foreign = []string{"fluxcd", "kubernetes-sigs", "external-secrets", "envFrom", "spec", "status", "metadata", "data"}

// TestPathsInDocuments: a path that a document names exists, from the root or
// from the document's own folder. What make builds (bin/) is left out.
func TestPathsInDocuments(t *testing.T) {
	for _, d := range documents(t) {
		for _, match := range quoted.FindAllStringSubmatch(d.text, -1) {
			if name := match[1]; looksLikePath(name) && !exists(d, name) {
				t.Errorf("%s names `%s`, which does not exist", d.path, name)
			}
		}
		for _, match := range linked.FindAllStringSubmatch(d.text, -1) {
			if name := match[1]; !strings.Contains(name, "://") && !exists(d, name) {
				t.Errorf("%s links to %s, which does not exist", d.path, name)
			}
		}
	}
}

// looksLikePath: two steps or more of which the first is no host and no other
// project's, or a file of the root with one of its endings.
func looksLikePath(name string) bool {
	if !pathish.MatchString(name) || strings.HasPrefix(name, "bin/") {
		return false
	}
	first, rest, steps := strings.Cut(name, "/")
	if !steps || rest == "" && !strings.HasSuffix(name, "/") {
		return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".yml") || name == "Makefile" || name == "go.work"
	}
	for _, other := range foreign {
		if first == other {
			return false
		}
	}
	return !strings.Contains(first, ".") || strings.HasPrefix(first, ".")
}

// exists looks from the root, from the document's own folder and, for the
// lists of packages, from each module. A step in capitals stands for any name.
func exists(d document, name string) bool {
	name = placeholder.ReplaceAllString(name, "*")
	from := []string{".", path.Dir(d.path)}
	if d.path == "ARCHITECTURE.md" {
		for _, m := range modules {
			from = append(from, m.name)
		}
	}
	for _, from := range from {
		matches, err := filepath.Glob(filepath.Join(root, from, filepath.FromSlash(strings.TrimSuffix(name, "/"))))
		if err == nil && len(matches) > 0 {
			return true
		}
	}
	return false
}

// TestTargetsInDocuments: what a document tells to make can be made.
func TestTargetsInDocuments(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool {
		for _, line := range strings.Split(string(makefile), "\n") {
			rule, _, isRule := strings.Cut(line, ":")
			stem, pattern := strings.CutSuffix(rule, "%")
			if isRule && (rule == name || pattern && stem != "" && strings.HasPrefix(name, stem)) {
				return true
			}
		}
		return false
	}
	for _, d := range documents(t) {
		for _, code := range codeOf(d.text) {
			for _, match := range target.FindAllStringSubmatch(code, -1) {
				if !has(match[1]) {
					t.Errorf("%s says make %s, which the Makefile does not have", d.path, match[1])
				}
			}
		}
	}
}

// codeOf gives the inline code and the fenced blocks of a document.
func codeOf(text string) []string {
	var code []string
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 {
			code = append(code, part)
			continue
		}
		for _, match := range quoted.FindAllStringSubmatch(part, -1) {
			code = append(code, match[1])
		}
	}
	return code
}

// TestArchitectureNamesEveryPackage: one line a package, so that a reader can
// say where a thing goes. What is internal to one package is that package's.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		section := sectionOf(string(text), m.name)
		for _, r := range m.rows {
			nested := strings.Count(r.path, "internal/") > 0 && !strings.HasPrefix(r.path, "internal/")
			deep := strings.HasPrefix(r.path, "internal/command/")
			if r.path == "." || nested || deep {
				continue
			}
			if !strings.Contains(section, "`"+r.path+"`") {
				t.Errorf("ARCHITECTURE.md has no line for `%s` under %s", r.path, m.name)
			}
		}
	}
}

// sectionOf is the part of a document from the heading that names a module.
func sectionOf(text, module string) string {
	_, after, found := strings.Cut(text, "### `"+module+"/`")
	if !found {
		return ""
	}
	section, _, _ := strings.Cut(after, "\n### ")
	return section
}

// elsewhere are names that mean nothing on a fresh clone. They are written in
// two parts here, so that this file does not contain them.
var elsewhere = []string{"../sha" + "red", "/wo" + "rk/main", "/wo" + "rk/sha" + "red"}

func TestNoNamesOfElsewhere(t *testing.T) {
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); file != root && (name == "bin" || name == ".git") {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.Name() == ".git" {
			return nil // a linked worktree has a file there that says where it belongs
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, name := range elsewhere {
			if strings.Contains(string(text), name) {
				t.Errorf("%s names %s", file, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
