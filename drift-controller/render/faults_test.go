// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

const (
	object  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	objectB = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
)

func TestBadPathsAndPlainFiles(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  map[string]string
		path   string
		wants  string // halt reason
		kind   error
		says   []string
	}{
		"NoPath":     {"the path and the revision are named", map[string]string{"a.yaml": object}, "deploy", contract.PathNotFoundReason, nil, []string{"deploy", "main@sha1:9f4c"}},
		"FileAsPath": {"a file is no path", map[string]string{"a.yaml": object}, "a.yaml", contract.PathNotFoundReason, nil, []string{"a.yaml", "folder"}},
		"Leaves":     {"a path may not leave the repository", map[string]string{"a.yaml": object}, "../x", contract.PathNotFoundReason, nil, []string{"../x", "leaves"}},
		"Absolute":   {"nor be absolute", map[string]string{"a.yaml": object}, "/etc", contract.PathNotFoundReason, nil, []string{"/etc"}},
		"Empty":      {"nothing is no wish for nothing", map[string]string{"d/README.md": "x"}, "d", contract.EmptyRenderReason, nil, []string{"d renders no objects"}},
		"OnlyHooks":  {"hooks alone are nothing", map[string]string{"d/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {argocd.argoproj.io/hook: Sync}}\n"}, "d", contract.EmptyRenderReason, nil, []string{"1 hooks"}},
		"Syntax":     {"file and line", map[string]string{"d/a.yaml": object + "data:\n  k: v\n bad: x\n"}, "d", contract.BuildFailedReason, manifest.ErrSyntax, []string{"d/a.yaml:6"}},
		"NoObject":   {"what to do with a file that is no manifest", map[string]string{"d/a.yaml": object, "d/values.yaml": "image: x\n"}, "d", contract.BuildFailedReason, manifest.ErrNotObject, []string{"d/values.yaml:1", ".sourceignore"}},
		"SameTwice":  {"both files are named", map[string]string{"d/a.yaml": object, "d/b.yaml": object}, "d", contract.BuildFailedReason, manifest.ErrDuplicateObject, []string{"d/a.yaml:1", "d/b.yaml:1"}},
		"ChartBelow": {"a chart among plain files", map[string]string{"d/a.yaml": object, "d/c/Chart.yaml": "name: c\n"}, "d", contract.BuildFailedReason, nil, []string{"d/c/Chart.yaml", "Application of its own"}},
		"HugeFile":   {"a huge manifest is refused before it is parsed", map[string]string{"d/a.yaml": object + "# " + strings.Repeat("x", 50<<20)}, "d", contract.BuildFailedReason, tree.ErrTooLarge, []string{"d/a.yaml", "10 MiB"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := render.Render(context.Background(), written(t, tc.files), tc.path, render.Options{Revision: "main@sha1:9f4c"})
			wantHalt(t, err, halt.Stalled, tc.wants)
			if tc.kind != nil && !errors.Is(err, tc.kind) {
				t.Errorf("%s: want kind %v, got %v", tc.reason, tc.kind, err)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: want %q in %v", tc.reason, part, err)
				}
			}
		})
	}
}

func TestLinksAreKeptInside(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	for name, content := range map[string]string{
		filepath.Join(dir, "beside", "b.yaml"): objectB,
		filepath.Join(dir, "in", "a.yaml"):     object,
		filepath.Join(dir, "out", "a.yaml"):    object,
		outside:                                objectB,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"in/link.yaml": "../beside/b.yaml", "in/folder": "../beside", "in/circle": ".", "out/link.yaml": outside,
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("Inside", func(t *testing.T) {
		result, err := render.Render(context.Background(), folder(t, dir), "in", render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := identities(result.Objects); len(got) != 2 {
			t.Errorf("a link to a file is followed, one to a folder is not: got %q", got)
		}
		if len(result.Notes) != 2 {
			t.Errorf("links that are not followed are noted: got %q", result.Notes)
		}
	})
	t.Run("Outside", func(t *testing.T) {
		_, err := render.Render(context.Background(), folder(t, dir), "out", render.Options{})
		wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
		if !errors.Is(err, tree.ErrLeaves) || !strings.Contains(err.Error(), "out/link.yaml") || strings.Contains(err.Error(), outside) {
			t.Errorf("want the link named and not its target, got %v", err)
		}
	})
}

func TestLimits(t *testing.T) {
	files := map[string]string{"d/a.yaml": object, "d/b.yaml": objectB}
	cases := map[string]render.Limits{
		"Objects":    {Objects: 1},
		"FileBytes":  {FileBytes: 16},
		"TotalBytes": {TotalBytes: int64(len(object) + 1)},
	}
	for name, limits := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := render.Render(context.Background(), written(t, files), "d", render.Options{Limits: limits})
			wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
			if !errors.Is(err, tree.ErrTooLarge) {
				t.Errorf("want %v, got %v", tree.ErrTooLarge, err)
			}
		})
	}
	t.Run("Time", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
		defer cancel()
		_, err := render.Render(ctx, written(t, files), "d", render.Options{})
		wantHalt(t, err, halt.Retry, contract.BuildFailedReason)
	})
}

// What was rendered is fresh as long as everything that was looked at is the
// same, and only that.
func TestFresh(t *testing.T) {
	base := map[string]string{
		"apps/a/kustomization.yaml": "resources: [../../base]\n",
		"base/kustomization.yaml":   "resources: [a.yaml]\n",
		"base/a.yaml":               object,
		"apps/b/x.yaml":             objectB,
	}
	with := func(name, content string) map[string]string {
		files := map[string]string{}
		for key, value := range base {
			files[key] = value
		}
		files[name] = content
		return files
	}
	result, err := render.Render(context.Background(), written(t, base), "apps/a", render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		files  map[string]string
		want   bool
	}{
		"Same":       {"nothing changed", base, true},
		"Elsewhere":  {"another application changed", with("apps/b/x.yaml", object), true},
		"Base":       {"the base changed, outside of the path", with("base/a.yaml", object+"data: {k: v}\n"), false},
		"SecondFile": {"a file appeared that was looked for and not there", with("apps/a/kustomization.yml", "resources: []\n"), false},
		"SameLength": {"the size alone proves nothing", with("base/a.yaml", objectB), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := result.Fresh(written(t, tc.files), nil); got != tc.want {
				t.Errorf("%s: want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
	if again, _ := render.Render(context.Background(), written(t, base), "apps/a", render.Options{}); again.Inputs.Artifact.Digest() != result.Inputs.Artifact.Digest() {
		t.Error("the same inputs must have the same digest")
	}
}
