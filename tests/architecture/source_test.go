// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// root is the repository, seen from this package.
const root = "../.."

const modulePrefix = "github.com/holdfast-gitops/holdfast/"

// source is one Go file of the repository.
type source struct {
	path      string // from the root, with slashes
	text      string
	syntax    *ast.File
	generated bool
}

func (s source) dir() string  { return path.Dir(s.path) }
func (s source) test() bool   { return strings.HasSuffix(s.path, "_test.go") }
func (s source) lines() int   { return strings.Count(s.text, "\n") }
func (s source) base() string { return path.Base(s.path) }

// imports are the import paths of the file.
func (s source) imports() []string {
	var paths []string
	for _, spec := range s.syntax.Imports {
		unquoted, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, unquoted)
		}
	}
	return paths
}

// positions belongs to all parsed files.
var positions = token.NewFileSet()

// load parses the repository once; test data and what was built are no source.
var load = sync.OnceValues(func() ([]source, error) {
	var sources []source
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if file != root && (name == "testdata" || name == "bin" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parse(file)
		sources = append(sources, parsed)
		return err
	})
	return sources, err
})

func parse(file string) (source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return source{}, err
	}
	syntax, err := parser.ParseFile(positions, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	relative, err := filepath.Rel(root, file)
	if err != nil {
		return source{}, err
	}
	return source{
		path: filepath.ToSlash(relative), text: string(text), syntax: syntax, generated: ast.IsGenerated(syntax),
	}, nil
}

// sources are all Go files; fewer than a handful means a wrong folder, and a
// test over nothing would pass.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d Go files found below %s", len(all), root)
	}
	return all
}

// written are the files that people write, tests too.
func written(t *testing.T) []source {
	t.Helper()
	var files []source
	for _, s := range sources(t) {
		if !s.generated {
			files = append(files, s)
		}
	}
	return files
}

// length is the lines from a function's first to its last.
func length(function *ast.FuncDecl) int {
	return positions.Position(function.End()).Line - positions.Position(function.Pos()).Line + 1
}

// functions are the declared functions of a file.
func (s source) functions() []*ast.FuncDecl {
	var list []*ast.FuncDecl
	for _, declaration := range s.syntax.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			list = append(list, function)
		}
	}
	return list
}
