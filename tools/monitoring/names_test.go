// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	promparser "github.com/prometheus/prometheus/promql/parser"
)

// foreign are series that a library or Prometheus itself makes, with where a
// test sees them.
var foreign = map[string]string{
	"up":                              "Prometheus, for every target",
	"gotk_reconcile_duration_seconds": "Flux's runtime, scraped from the source-controller in tests/conformance",
}

// registered are the names of the series in the controllers' metrics packages.
func registered(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../*-controller/internal/metrics/*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && strings.HasPrefix(text, "holdfast_") {
					names[text] = true
				}
			}
			return true
		})
	}
	if len(names) < 10 {
		t.Fatalf("found only %d series in the controllers: this test looks in the wrong place", len(names))
	}
	return names
}

// TestNames: an alert over a series that nobody registers never fires, and
// looks like a quiet fleet.
func TestNames(t *testing.T) {
	known, used := registered(t), map[string]bool{}
	for place, text := range queries(t) {
		expr, err := expressions.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %s: %v", place, text, err)
			continue
		}
		promparser.Inspect(expr, func(n promparser.Node, _ []promparser.Node) error {
			selector, ok := n.(*promparser.VectorSelector)
			if !ok {
				return nil
			}
			name := strings.TrimSuffix(selector.Name, "_bucket")
			used[name] = true
			if _, library := foreign[name]; !known[name] && !library {
				t.Errorf("%s: no controller registers %s", place, selector.Name)
			}
			return nil
		})
	}
	// An expression may be right and still watch nothing: each of these has to
	// be looked at by some alert or panel.
	for name := range known {
		rest := []string{"holdfast_objects", "holdfast_source_ready", "holdfast_heal_backlog", "holdfast_stage_changes_total",
			"holdfast_stage_since_timestamp_seconds", "holdfast_break_glass_until_timestamp_seconds"}
		if !used[name] && !slices.Contains(rest, name) {
			t.Errorf("%s is registered, and no alert and no panel looks at it", name)
		}
	}
}

// TestDashboard: what Grafana refuses or shows over one another.
func TestDashboard(t *testing.T) {
	d := board(t)
	if d.UID == "" || d.Title == "" || len(d.Panels) == 0 {
		t.Fatalf("Grafana loads no dashboard without uid, title and panels: %q %q %d", d.UID, d.Title, len(d.Panels))
	}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %d %q: its id is taken, it has no query, or it is wider than the board", p.ID, p.Title)
		}
		ids[p.ID] = true
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	if !slices.Equal(variables, []string{"datasource", "namespace"}) {
		t.Errorf("the queries use datasource and namespace; the board has %v", variables)
	}
}
