// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/lint"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// planted stands in the clear in the test repository.
const planted = "Wq7-Zk2-Xv9-Lm4"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func input(dir string) lint.Input {
	return lint.Input{
		Files: os.DirFS("testdata/repo"), Name: "the working tree", Path: dir,
		Options: render.Options{Namespace: "shop", Helm: render.HelmOptions{ReleaseName: "web"}},
		Scope:   rule.Scope{Now: noon},
	}
}

func run(t *testing.T, in lint.Input) lint.Report {
	t.Helper()
	r, err := lint.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGolden shows each renderer's folder in each format. In none of them are
// four signs in a row of a value that stands in the clear in the folder.
func TestGolden(t *testing.T) {
	for name, in := range map[string]lint.Input{
		"plain":   input("plain"),
		"chart":   input("chart"),
		"overlay": input("overlay"),
		"clean":   with(input("clean"), "platform"),
	} {
		for _, format := range []screen.Format{screen.Plaintext, screen.JSON, screen.SARIF, screen.Markdown} {
			t.Run(name+"/"+string(format), func(t *testing.T) {
				got, err := screen.Print(run(t, in), format, screen.Style{})
				if err != nil {
					t.Fatal(err)
				}
				for i := range len(planted) - 3 {
					if strings.Contains(got, planted[i:i+4]) {
						t.Errorf("%q of the value is in\n%s", planted[i:i+4], got)
					}
				}
				golden(t, filepath.Join("testdata", name+"."+string(format)), got)
			})
		}
	}
}

func with(in lint.Input, dirs ...string) lint.Input {
	in.With, in.Scope.StoresComplete = dirs, true
	return in
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestOutcome(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		in      lint.Input
		verdict secretsv1.Verdict
		want    map[lint.Level]report.Outcome
	}{
		"deny": {"an error fails at every level", input("plain"), secretsv1.VerdictDeny,
			map[lint.Level]report.Outcome{lint.Errors: report.Differs, lint.Unknowns: report.Differs, lint.Warnings: report.Differs}},
		"unknown": {"the store may be in the cluster: never Pass, and a matter of --fail-on", input("clean"), secretsv1.VerdictUnknown,
			map[lint.Level]report.Outcome{lint.Errors: report.InSync, lint.Unknowns: report.Differs, lint.Warnings: report.Differs}},
		"pass": {"the store is in the folder beside", with(input("clean"), "platform"), secretsv1.VerdictPass,
			map[lint.Level]report.Outcome{lint.Errors: report.InSync, lint.Unknowns: report.InSync}},
		"store nowhere": {"and every store is there", with(input("clean")), secretsv1.VerdictDeny,
			map[lint.Level]report.Outcome{lint.Errors: report.Differs}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, tc.in)
			if r.Verdict() != tc.verdict {
				t.Errorf("%s: verdict %s, want %s\n%s", tc.reason, r.Verdict(), tc.verdict, r.Text(screen.Style{}))
			}
			for level, want := range tc.want {
				if got := r.Outcome(level); got != want {
					t.Errorf("%s: at %s got %s, want %s", tc.reason, level, got, want)
				}
			}
		})
	}
}

func TestAgainst(t *testing.T) {
	in := input("clean")
	in.Before = fstest.MapFS{"clean/leak.yaml": {Data: []byte(
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {DB_PASSWORD: " + planted + "}\n")}}
	names := run(t, in).Names()
	if !cmp.Equal(names, []string{"leak-removed-from-head", "store-missing"}) {
		t.Errorf("a leak that the change removes has to be rotated, got %v", names)
	}
}

func TestBrokenFolders(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		dir    string
		files  fstest.MapFS
	}{
		"empty":   {"nothing is concluded from nothing", "a", fstest.MapFS{"a/notes.txt": {Data: []byte("x")}}},
		"no YAML": {"a part would be judged as the whole", "a", fstest.MapFS{"a/x.yaml": {Data: []byte("kind: [")}}},
		"no path": {"a typing error", "b", fstest.MapFS{"a/x.yaml": {Data: []byte("a: b")}}},
		"template": {"an error of a template may quote values", "a", fstest.MapFS{
			"a/Chart.yaml":       {Data: []byte("apiVersion: v2\nname: a\nversion: 1.0.0\n")},
			"a/values.yaml":      {Data: []byte("password: " + planted + "\n")},
			"a/templates/x.yaml": {Data: []byte("{{ fail .Values.nope.deep }}")},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(tc.dir)
			in.Files = tc.files
			_, err := lint.Run(context.Background(), in)
			if err == nil {
				t.Fatalf("%s: want an error", tc.reason)
			}
			if strings.Contains(err.Error(), planted) {
				t.Errorf("%s: the error holds a value", tc.reason)
			}
		})
	}
}
