// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryReasonHasARunbook: whoever reads a reason in a condition finds a
// section about it, and no section is about a reason that there is not.
func TestEveryReasonHasARunbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "runbooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if title, found := strings.CutPrefix(line, "### "); found {
			sections[strings.TrimSpace(title)] = true
		}
	}
	for _, reason := range reasons(t) {
		if !sections[reason] {
			t.Errorf("docs/runbooks.md has no section ### %s", reason)
		}
		delete(sections, reason)
	}
	for title := range sections {
		t.Errorf("docs/runbooks.md has a section %s, which is no reason in api/contract", title)
	}
}

// TestEveryAlertHasARunbook: the address in an alert leads to a section.
func TestEveryAlertHasARunbook(t *testing.T) {
	runbooks, err := os.ReadFile(filepath.Join(root, "docs", "runbooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for line := range strings.Lines(string(runbooks)) {
		if title := strings.TrimLeft(line, "#"); title != line {
			anchors[strings.ToLower(strings.TrimSpace(title))] = true
		}
	}
	alerts, err := os.ReadFile(filepath.Join(root, "config", "monitoring", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	addresses := 0
	for line := range strings.Lines(string(alerts)) {
		_, anchor, found := strings.Cut(line, "docs/runbooks.md#")
		if !found {
			continue
		}
		addresses++
		if anchor = strings.Trim(strings.TrimSpace(anchor), `"'`); !anchors[anchor] {
			t.Errorf("docs/runbooks.md has no section for #%s, which an alert names", anchor)
		}
	}
	if addresses < 10 {
		t.Errorf("only %d addresses of runbooks found in the alerts", addresses)
	}
}

// TestEveryReasonIsGiven: a reason or an event that no controller gives is a
// promise that nobody keeps.
func TestEveryReasonIsGiven(t *testing.T) {
	given := map[string]bool{}
	for _, s := range written(t) {
		if s.test() || !strings.Contains(s.path, "-controller/") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			name, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := name.X.(*ast.Ident); ok && from.Name == "contract" {
				given[name.Sel.Name] = true
			}
			return true
		})
	}
	for name := range constants(t, "Reason", "Event") {
		if !given[name] {
			t.Errorf("no controller gives contract.%s: use it, or take it out of api/contract", name)
		}
	}
}

// reasons are the values of the constants that api/contract calls reasons.
func reasons(t *testing.T) []string {
	t.Helper()
	found := slices.Sorted(maps.Values(constants(t, "Reason")))
	if len(found) < 20 {
		t.Fatalf("only %d reasons found in api/contract", len(found))
	}
	return found
}

// constants of api/contract whose names end so, with their values.
func constants(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "api", "contract", "contract.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(spec.Names[0].Name, e) }) {
			return true
		}
		value, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s is no literal", spec.Names[0].Name)
		}
		word, err := strconv.Unquote(value.Value)
		if err != nil {
			t.Fatal(err)
		}
		found[spec.Names[0].Name] = word
		return true
	})
	return found
}
