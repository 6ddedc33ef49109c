// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// noon is the time at which every screen of the golden files is looked at.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// input is what one input file holds.
type input struct {
	apps    []v1alpha1.Application
	pages   []v1alpha1.DriftReport
	secrets []secretsv1.SecretReport
}

func read(t *testing.T, file string) input {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var in input
	for doc := range bytes.SplitSeq(raw, []byte("\n---\n")) {
		var head struct {
			Kind string `json:"kind"`
		}
		unmarshal(t, doc, &head)
		switch head.Kind {
		case "Application":
			in.apps = append(in.apps, v1alpha1.Application{})
			strict(t, doc, &in.apps[len(in.apps)-1])
		case "DriftReport":
			in.pages = append(in.pages, v1alpha1.DriftReport{})
			strict(t, doc, &in.pages[len(in.pages)-1])
		case "SecretReport":
			in.secrets = append(in.secrets, secretsv1.SecretReport{})
			strict(t, doc, &in.secrets[len(in.secrets)-1])
		default:
			t.Fatalf("%s: kind %q is not known here", file, head.Kind)
		}
	}
	return in
}

func unmarshal(t *testing.T, doc []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(doc, into); err != nil {
		t.Fatal(err)
	}
}

// strict refuses fields that the API does not have: a golden file of a field
// that no controller can write would prove nothing.
func strict(t *testing.T, doc []byte, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(doc, into); err != nil {
		t.Fatal(err)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// each runs a test for every input file of a folder.
func each(t *testing.T, folder string, run func(t *testing.T, in input, golden string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.in.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no input in testdata/%s: %v", folder, err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".in.yaml")
		t.Run(filepath.Base(base), func(t *testing.T) { run(t, read(t, file), base) })
	}
}

func TestDriftScreens(t *testing.T) {
	each(t, "drift", func(t *testing.T, in input, base string) {
		t.Helper()
		golden(t, base+".txt", NewDrift(&in.apps[0], in.pages, noon).Text(screen.Style{}))
	})
}

func TestDriftExplained(t *testing.T) {
	in := read(t, "testdata/drift/incident.in.yaml")
	d := NewDrift(&in.apps[0], in.pages, noon)
	d.Explained = true
	golden(t, "testdata/drift/incident.explained.txt", d.Text(screen.Style{}))
}

func TestDriftForPrograms(t *testing.T) {
	in := read(t, "testdata/drift/incident.in.yaml")
	for _, format := range []screen.Format{screen.JSON, screen.YAML, screen.Name} {
		got, err := screen.Print(NewDrift(&in.apps[0], in.pages, noon), format, screen.Style{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/drift/incident."+string(format), got)
	}
}

func TestFleetScreens(t *testing.T) {
	each(t, "fleet", func(t *testing.T, in input, base string) {
		t.Helper()
		all := NewFleet(in.apps, noon)
		all.WithNamespace = true
		golden(t, base+".txt", all.Text(screen.Style{}))
		golden(t, base+".roomy.txt", all.Text(screen.Style{Width: 160}))
		all.Wide = true
		golden(t, base+".wide.txt", all.Text(screen.Style{}))
		yaml, err := screen.Print(all, screen.YAML, screen.Style{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, base+".yaml", yaml)
	})
}

func TestSecretScreens(t *testing.T) {
	each(t, "secrets", func(t *testing.T, in input, base string) {
		t.Helper()
		golden(t, base+".txt", NewSecrets(&in.apps[0], in.secrets, noon).Text(screen.Style{}))
	})
}

func TestPreviewScreens(t *testing.T) {
	each(t, "preview", func(t *testing.T, in input, base string) {
		t.Helper()
		var entries []v1alpha1.DriftEntry
		for _, page := range in.pages {
			entries = append(entries, page.Status.Entries...)
		}
		v := NewPreview(&in.apps[0], "the working tree", entries, nil)
		golden(t, base+".txt", v.Text(screen.Style{}))
		for format, name := range map[screen.Format]string{screen.Markdown: ".md", screen.SARIF: ".sarif"} {
			text, err := screen.Print(v, format, screen.Style{Colour: true})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, base+name, text)
		}
	})
}

// TestPublishedDecidesOnlyWhatHolds: an old report is shown, and is no verdict.
func TestPublishedDecidesOnlyWhatHolds(t *testing.T) {
	for file, want := range map[string]Outcome{
		"incident": Differs, "in-sync": InSync, "expired": Undecided, "never-compared": Undecided, "outdated": Undecided,
	} {
		in := read(t, "testdata/drift/"+file+".in.yaml")
		if got := Published(&in.apps[0], in.pages, noon).Outcome(); got != want {
			t.Errorf("%s: want %v, got %v", file, want, got)
		}
	}
}

// TestExplanations is one difference as one screen.
func TestExplanations(t *testing.T) {
	each(t, "explain", func(t *testing.T, in input, base string) {
		t.Helper()
		x := Explanation{Drift: NewDrift(&in.apps[0], in.pages, noon), Object: "ConfigMap/users-api-env", Verdict: v1alpha1.VerdictInSync}
		golden(t, base+".txt", x.Text(screen.Style{}))
		x.Entries = nil
		golden(t, base+".nothing.txt", x.Text(screen.Style{}))
	})
}

// TestAdoption: the patch goes out as it is, and to a person without anything
// that moves a cursor.
func TestAdoption(t *testing.T) {
	a := Adoption{Patch: "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a: \x1b[2J\n+a: b\r\n", Adopted: []AdoptedField{
		{Object: "ConfigMap/env", Path: "/data/A", Place: "values.yaml: env.A", Follows: []string{"Deployment.apps web /x"}},
	}, Left: []LeftField{{Object: "Secret/s", Path: "/data/P", Reason: "it holds a secret"}}}
	if got := a.Text(screen.Style{}); got != a.Patch {
		t.Errorf("a pipe gets %q", got)
	}
	if got := a.Text(screen.Style{Colour: true}); strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\r") {
		t.Errorf("a terminal gets %q", got)
	}
	golden(t, "testdata/adoption.txt", a.Remarks(screen.Style{}))
	a.Written = []string{"values.yaml"}
	golden(t, "testdata/adoption.written.txt", a.Remarks(screen.Style{}))
}
