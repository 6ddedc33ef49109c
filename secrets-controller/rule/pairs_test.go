// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var update = flag.Bool("update", false, "write what the pairs find into their files")

const pairsDir = "../testdata/pairs"

// pair is the file of one rule: an input that fires, with what it finds, and
// its nearest neighbour that stays silent.
type pair struct {
	path  string
	text  string
	files map[string]string
}

func readPair(t *testing.T, id string) (pair, bool) {
	t.Helper()
	p := pair{path: filepath.Join(pairsDir, id+".txtar"), files: map[string]string{}}
	text, err := os.ReadFile(p.path)
	if os.IsNotExist(err) {
		return p, false
	}
	if err != nil {
		t.Fatal(err)
	}
	p.text = string(text)
	name := ""
	for _, line := range strings.SplitAfter(p.text, "\n") {
		inner, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		if header, ends := strings.CutSuffix(inner, " --"); is && ends {
			name = header
			continue
		}
		if name != "" {
			p.files[name] += line
		}
	}
	return p, true
}

// padding stands for a text too large for a file.
var padding = strings.Repeat("x", 1_100_000)

func (p pair) input(t *testing.T, side string) rule.Input {
	t.Helper()
	part := func(name string) string { return strings.ReplaceAll(p.files[side+"/"+name], "PADDING", padding) }
	e := example{git: part("git"), live: part("live")}
	in := e.input(t)
	if e.live != "" {
		in.Live.Secrets.Items = secretStates(t, e.live)
	}
	options := declaration.Options{Namespace: "shop", EvidenceKey: []byte("of the test")}
	in.Declared = declaration.Read(parse(t, e.git), options)
	if previous := part("previous"); previous != "" {
		set := declaration.Read(parse(t, previous), options)
		in.Previous = &set
	}
	if leaked := part("leaked"); leaked != "" {
		in.Leaked = rule.Leaks(declaration.Read(parse(t, leaked), options))
	}
	settings := settings(part("scope"))
	in.Scope.Operator, in.Scope.Kubernetes = schema.ParseVersion(settings["operator"]), schema.ParseVersion(settings["kubernetes"])
	in.Scope.GitOps = rule.GitOps{
		Tool: settings["tool"], TracksByLabel: settings["tracking"] == "label",
		Prunes: settings["prune"] == "true", Plugin: settings["plugin"] == "true",
	}
	in.Scope.ForeignSelfHeal = settings["selfheal"] == "true"
	in.Scope.Classes, in.Scope.FakeNamespaces = list(settings["classes"]), list(settings["fake"])
	if kind := settings["absent"]; kind != "" {
		in.Live.Absent = map[string]bool{kind: true}
	}
	if producer := settings["producer"]; producer != "" {
		in.Policy = rule.NewPolicy([]secretsv1.SecretPolicy{producing(producer)}, now)
	}
	in.Source = p.source(t, side, settings["raw"] == "true")
	return in
}

func (p pair) source(t *testing.T, side string, raw bool) declaration.Source {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range p.files {
		if inner, is := strings.CutPrefix(name, side+"/"); is && strings.HasPrefix(inner, "source/") {
			files[inner] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	if len(files) == 0 {
		return declaration.Source{}
	}
	source, err := declaration.ReadSource(fs.FS(files), "source", declaration.SourceOptions{Raw: raw})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// TestPairs: every rule of the catalogue fires on the one side of its pair and
// is silent on the other.
func TestPairs(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rule.Catalogue {
		p, has := readPair(t, r.ID)
		if !has {
			continue // its examples stand in this package
		}
		seen[r.ID] = true
		t.Run(r.ID, func(t *testing.T) {
			var got []string
			for _, f := range rule.RunOnly(p.input(t, "fires"), []rule.Rule{r}).Findings {
				got = append(got, line(f)+": "+f.Message)
			}
			if len(got) == 0 {
				t.Fatal("the rule does not fire on its own example")
			}
			if *update {
				p.write(t, got)
			} else if diff := cmp.Diff(strings.Split(strings.TrimSpace(p.files["fires/want"]), "\n"), got); diff != "" {
				t.Errorf("%s: -want +got\n%s", p.files["fires/reason"], diff)
			}
			for _, f := range rule.RunOnly(p.input(t, "silent"), []rule.Rule{r}).Findings {
				t.Errorf("%s: want silence, got %s: %s", strings.TrimSpace(p.files["silent/reason"]), line(f), f.Message)
			}
		})
	}
	files, err := filepath.Glob(filepath.Join(pairsDir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if id := strings.TrimSuffix(filepath.Base(file), ".txtar"); !seen[id] {
			t.Errorf("%s belongs to no rule of the catalogue", file)
		}
	}
}

func (p pair) write(t *testing.T, got []string) {
	t.Helper()
	text, _, _ := strings.Cut(p.text, "-- fires/want --\n")
	text += "-- fires/want --\n" + strings.Join(got, "\n") + "\n"
	if err := os.WriteFile(p.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func settings(text string) map[string]string {
	out := map[string]string{}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		out[key] = value
	}
	return out
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "+")
}

// producing is a policy that names a producer: namespace/name:key+key.
func producing(text string) secretsv1.SecretPolicy {
	place, keys, _ := strings.Cut(text, ":")
	namespace, name, _ := strings.Cut(place, "/")
	return secretsv1.SecretPolicy{Spec: secretsv1.SecretPolicySpec{Producers: []secretsv1.ExternalProducer{{
		Accountability: secretsv1.Accountability{Owner: "the database team", Reason: "an operator"},
		Namespace:      namespace, Name: name, Keys: list(keys),
	}}}}
}

// TestDocumentedSeverities: what a rule says about itself can be acted upon.
func TestDocumentedSeverities(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range rule.Catalogue {
		if ids[r.ID] {
			t.Errorf("%s stands twice in the catalogue", r.ID)
		}
		ids[r.ID] = true
		for what, text := range map[string]string{"explanation": r.Explanation, "remedy": r.Remedy, "source": r.Source, "gate": string(r.Gate), "severity": string(r.Severity)} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", r.ID, what)
			}
		}
		if !strings.HasPrefix(r.Source, "https://") {
			t.Errorf("%s: source %q is no link", r.ID, r.Source)
		}
	}
	if len(slices.Sorted(maps.Keys(ids))) < 260 {
		t.Errorf("the catalogue has %d rules, which is too few", len(ids))
	}
}
