// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// TestWriteVerbs: promise 4 hangs on this package. Another call with a write
// verb would have to be argued for here: the patch is always a dry run, and what
// is created is a question to RBAC about oneself, which the server answers and
// does not store.
func TestWriteVerbs(t *testing.T) {
	writes := []string{"Create", "Update", "UpdateStatus", "Patch", "Apply", "ApplyStatus", "Delete", "DeleteCollection", "Put", "Post", "Verb"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(writes, s.Sel.Name) {
				found = append(found, file+": "+s.Sel.Name)
			}
			return true
		})
	}
	if !slices.Equal(found, []string{"requests.go: Patch", "requests.go: Create"}) {
		t.Errorf("calls with a write verb: %v, want only the dry run and the review", found)
	}
}

func TestFreshness(t *testing.T) {
	start := time.Unix(1000, 0)
	cases := map[string]struct {
		reason string
		after  time.Duration
		serves bool
		change func(*freshness)
		want   bool
	}{
		"young":              {"it answers", time.Minute, true, nil, true},
		"old":                {"kinds come and go", time.Hour, true, nil, false},
		"does not serve":     {"the kind may have come since", time.Minute, false, nil, false},
		"just asked":         {"a thousand objects ask once", pause / 2, false, nil, true},
		"invalidated":        {"somebody knows better", pause / 2, true, (*freshness).invalidate, false},
		"asked anew":         {"it answers", pause / 2, true, renewed, true},
		"in times of unrest": {"the server may not have published yet", 2 * pause, true, renewed, false},
		"after the unrest":   {"the answer is from within it", unrest + time.Second, true, renewed, false},
		"asked after it":     {"it has settled", time.Minute, true, settledSince, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := start
			f := freshness{maxAge: 10 * time.Minute, now: func() time.Time { return now }}
			if f.usable(true) {
				t.Error("nothing is cached, and it is usable")
			}
			f.refreshed()
			if tc.change != nil {
				tc.change(&f)
			}
			now = now.Add(tc.after)
			if got := f.usable(tc.serves); got != tc.want {
				t.Errorf("%s: usable %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func renewed(f *freshness) {
	f.invalidate()
	f.refreshed()
}

// settledSince: the answer came when the server had published all.
func settledSince(f *freshness) {
	f.unrest = f.asked.Add(-time.Second)
}

// TestDenials: a right that is missing is not asked for with every object, and
// one that is granted is believed soon.
func TestDenials(t *testing.T) {
	now := time.Unix(1000, 0)
	d := newDenials(func() time.Time { return now })
	r := Resource{Path: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespaced: true}
	a, b := manifest.ID{Namespace: "n", Name: "a"}, manifest.ID{Namespace: "n", Name: "b"}
	d.remember(keyOf(r, a, drift.PrecisionRestored))
	d.remember(keyOf(r, a, drift.PrecisionInPlace))
	if !d.recently(keyOf(r, b, drift.PrecisionRestored)) {
		t.Error("another object of the namespace cannot be created either")
	}
	if d.recently(keyOf(r, b, drift.PrecisionInPlace)) {
		t.Error("rights may be given by name: another object has not been refused")
	}
	now = now.Add(denialAge)
	if d.recently(keyOf(r, a, drift.PrecisionInPlace)) {
		t.Error("a refusal is remembered for ever")
	}
}
