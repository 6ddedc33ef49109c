// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/worktree"
)

func TestFlags(t *testing.T) {
	tests := map[string]struct {
		reason  string
		args    []string
		want    Options
		refused bool
	}{
		"name":    {reason: "the checkout that one stands in", args: []string{"web"}, want: Options{Name: "web", Local: ".", Format: screen.Table}},
		"all":     {reason: "each flag", args: []string{"web", "--local", "x", "--local-values", "y", "--revision", "z", "-o", "json"}, want: Options{Name: "web", Local: "x", LocalValues: "y", Revision: "z", Format: screen.JSON}},
		"no name": {reason: "one application at a time", refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got Options
			flags := cluster.NewFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
			cmd := New(terminal.Terminal{}, flags, func(_ context.Context, o Options) error { got = o; return nil })
			cmd.SetArgs(append([]string{}, tc.args...))
			cmd.SetOut(&bytes.Buffer{})
			cmd.SetErr(&bytes.Buffer{})
			if err := cmd.Execute(); (err != nil) != tc.refused {
				t.Fatalf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(Options{}, "Judge", "Terminal")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func preview(entries ...v1alpha1.DriftEntry) report.Preview {
	return report.NewPreview(&v1alpha1.Application{}, "the working tree", entries, nil)
}

func TestExitCode(t *testing.T) {
	object := v1alpha1.ObjectReference{Kind: "ConfigMap", Name: "env"}
	differs := v1alpha1.DriftEntry{Object: object, Path: "/data/A", Class: v1alpha1.ClassPending, Drift: true}
	unknown := v1alpha1.DriftEntry{Object: object, Class: v1alpha1.ClassUnknown}
	explained := v1alpha1.DriftEntry{Object: object, Path: "/data/A", Class: v1alpha1.ClassController}
	boom := errors.New("boom")
	tests := map[string]struct {
		reason  string
		preview report.Preview
		err     error
		want    error
	}{
		"nothing":   {reason: "0", preview: preview()},
		"explained": {reason: "what does not count is no change", preview: preview(explained)},
		"differs":   {reason: "1, whatever could not be judged beside it", preview: preview(differs, unknown), want: exit.ErrDifferent},
		"unknown":   {reason: "2: unknown is never green", preview: preview(unknown), want: exit.ErrUndecided},
		"failure":   {reason: "2", err: boom, want: boom},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := diff(context.Background(), Options{
				Judge:    func(context.Context, string, Sources) (report.Preview, error) { return tc.preview, tc.err },
				Terminal: terminal.Terminal{Out: &out, Err: &out},
			})
			if !errors.Is(err, tc.want) {
				t.Errorf("%s: error %v, want %v", tc.reason, err, tc.want)
			}
			if printed := out.Len() > 0; printed != (tc.err == nil) {
				t.Errorf("%s: printed %q", tc.reason, out.String())
			}
		})
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "app"), 0o755); err != nil {
		t.Fatal(err)
	}
	with := Options{Local: dir, LocalValues: dir}.sources()
	for name, open := range map[string]Open{"source": with.Open, "values": with.OpenValues} {
		tree, err := open(context.Background(), "app", nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
		if _, err := open(context.Background(), "other", nil); !errors.Is(err, worktree.ErrNoPath) {
			t.Errorf("%s: error %v, want %v", name, err, worktree.ErrNoPath)
		}
	}
	if without := (Options{Local: dir}).sources(); without.OpenValues != nil {
		t.Error("no second checkout was named, and there is one")
	}
	revision := Options{Local: dir, Revision: "nowhere"}.sources()
	if _, err := revision.Open(context.Background(), "app", nil); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a revision that is not there must be named, got %v", err)
	}
}
