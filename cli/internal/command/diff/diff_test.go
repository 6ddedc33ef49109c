// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"context"
	"errors"
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
)

func TestFlags(t *testing.T) {
	tests := map[string]struct {
		reason  string
		args    []string
		want    Options
		refused bool
	}{
		"name":    {reason: "what the cluster reports", args: []string{"web"}, want: Options{Name: "web", Format: screen.Plaintext}},
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
				Judge:    func(context.Context, Options) (report.Preview, error) { return tc.preview, tc.err },
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

func TestReported(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		options Options
		want    bool
	}{
		"nothing":  {"no checkout", Options{Name: "web"}, true},
		"local":    {"a folder", Options{Local: "."}, false},
		"revision": {"a commit of this folder", Options{Revision: "main"}, false},
		"values":   {"a second folder", Options{LocalValues: "."}, false},
	} {
		if got := tc.options.reported(); got != tc.want {
			t.Errorf("%s: %s: want %t", name, tc.reason, tc.want)
		}
	}
}
