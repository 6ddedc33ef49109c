// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	corpus "github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
	"github.com/holdfast-gitops/holdfast/tests/conformance/play"
)

// TestCorpus plays the cases of kind source that stand among the others.
func TestCorpus(t *testing.T) {
	h := open(t)
	dirs, err := corpus.Find("../cases")
	if err != nil {
		t.Fatal(err)
	}
	player := h.player(t, os.Getenv(envSubject), "")
	played := 0
	for _, dir := range dirs {
		c, err := corpus.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if c.Expect.Kind != corpus.Source {
			continue
		}
		played++
		t.Run(c.Name, func(t *testing.T) { h.corpusCase(t, player, c) })
	}
	if played == 0 {
		t.Error("no case of kind source was found")
	}
}

func (h hall) corpusCase(t *testing.T, player play.Player, c corpus.Case) {
	t.Helper()
	source := c.Expect.Source
	namespace := cluster.Namespace(t, h.cluster)
	var steps []casefile.Step
	switch {
	case source == nil:
		t.Fatal("the case expects nothing of a source")
	case len(source.Picks) > 0:
		steps = picks(*source)
	case len(source.Steps) > 0:
		steps = movedTag(*source)
	default:
		steps = h.recipe(t, player, c, namespace)
	}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: c.Name, About: c.Name, Steps: steps}); err != nil {
		t.Error(err)
	}
	for _, one := range source.AnyOf {
		if one.RenderError != nil {
			h.renderFails(t, namespace, *one.RenderError)
		}
	}
}

// renderFails: what the source serves as it is, the renderer must not take for
// manifests.
func (h hall) renderFails(t *testing.T, namespace string, want corpus.Mentions) {
	t.Helper()
	obj := &sourcev1.GitRepository{}
	if err := h.stage.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "app"}, obj); err != nil {
		t.Fatal(err)
	}
	files, err := play.Files(t.Context(), *obj.Status.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	artifact := fstest.MapFS{}
	for name, content := range files {
		artifact[name] = &fstest.MapFile{Data: []byte(content)}
	}
	_, err = render.Render(t.Context(), artifact, ".", render.Options{})
	if err == nil {
		t.Fatal("it is rendered")
	}
	for _, word := range append(want.Mentions, want.File) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not mention %q: %v", word, err)
		}
	}
}

const gitObject = `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: %s}
spec: {url: "${GIT}/app.git", ref: %s, interval: 1h}
---
`

// picks: tags of one repository, and a range of each object.
func picks(source corpus.SourceOutcome) []casefile.Step {
	change := fixture.Change{Repo: "app", Write: map[string]string{"a.yaml": "1"}, Commit: "all tags", Save: "tip", Push: []string{"HEAD:refs/heads/main", "--tags"}}
	for _, tag := range source.Tags {
		change.Run = append(change.Run, []string{"tag", tag})
	}
	steps := []casefile.Step{{Git: &change}}
	for i, pick := range source.Picks {
		name := fmt.Sprintf("range-%d", i)
		expect := &casefile.Expect{Object: "GitRepository/" + name, Observed: "Current", Artifact: casefile.Artifact{Revision: pick.Tag + "@sha1:${tip}"}}
		if pick.Error != "" {
			expect = &casefile.Expect{Object: "GitRepository/" + name, Messages: map[string]string{"FetchFailed": "(?i)" + strings.ReplaceAll(pick.Error, " ", ".*")}}
		}
		steps = append(steps, casefile.Step{Apply: fmt.Sprintf(gitObject, name, fmt.Sprintf("{semver: %q}", pick.Range))}, casefile.Step{Expect: expect})
	}
	return steps
}

const ociObject = `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: app}
spec: {url: "oci://${REGISTRY}/app", ref: {tag: latest}, interval: 1h, insecure: true}
`

// movedTag: one tag is pushed twice, then the first digest is named besides it.
func movedTag(source corpus.SourceOutcome) []casefile.Step {
	push := func(content, save string) casefile.Step {
		return casefile.Step{OCI: &fixture.Push{
			Name: "app", Tags: []string{"latest"}, Save: save, Layers: []fixture.Layer{{Files: map[string]string{"which": content}}},
		}}
	}
	see := func(step corpus.SourceStep, revision, content string) casefile.Step {
		expect := &casefile.Expect{Object: "OCIRepository/app", Observed: "Current", Artifact: casefile.Artifact{Revision: revision, Content: map[string]string{"which": content}}}
		if step.Ready {
			expect.Conditions = []string{"Ready=True Succeeded", "ArtifactInStorage=True Succeeded"}
		}
		return casefile.Step{Expect: expect}
	}
	name := strings.NewReplacer("<A>", "${A}", "<B>", "${B}", "sha256:${A}", "${A}", "sha256:${B}", "${B}")
	twice := func(text string) string { return strings.ReplaceAll(name.Replace(text), "sha256:${", "${") }
	return []casefile.Step{
		push("A", "A"), {Apply: ociObject}, see(source.Steps[0], twice(source.Steps[0].Revision), "A"),
		push("B", "B"), {Ask: "OCIRepository/app"}, see(source.Steps[1], twice(source.Steps[1].Revision), "B"),
		{Merge: &casefile.Merge{Object: "OCIRepository/app", Patch: map[string]any{"spec": map[string]any{"ref": map[string]any{"digest": "${A}", "tag": "latest"}}}}},
		see(source.Steps[2], twice(source.Steps[2].RevisionDigest), source.Steps[2].Content),
	}
}

// recipe: the commands of the case make the repository, in as many parts as it is
// fetched; the last part's outcome is what the case is about.
func (h hall) recipe(t *testing.T, player play.Player, c corpus.Case, namespace string) []casefile.Step {
	t.Helper()
	parts, err := c.Recipe()
	if err != nil {
		t.Fatal(err)
	}
	source := *c.Expect.Source
	repo, err := h.stage.Git.Create(t.Context(), namespace+"/app.git")
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		if err := repo.Script(t.Context(), part); err != nil {
			t.Fatal(err)
		}
		if i == len(parts)-1 {
			break
		}
		steps := []casefile.Step{{Apply: fmt.Sprintf(gitObject, fmt.Sprintf("before-%d", i), "{branch: main}")}, {Expect: &casefile.Expect{Object: fmt.Sprintf("GitRepository/before-%d", i), Observed: "Current"}}}
		if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: c.Name, Steps: steps}); err != nil {
			t.Fatal(err)
		}
	}
	name := "HEAD"
	if strings.Contains(source.Revision, "HEAD~1") {
		name = "HEAD~1"
		h.stage.Git.Behave(namespace+"/app.git", fixture.Access{Protocol0: true})
	}
	commit, err := repo.Revision(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := repo.Branch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reference, revision := fmt.Sprintf("{branch: %q}", branch), branch+"@sha1:"+commit
	if name != "HEAD" {
		reference = fmt.Sprintf("{branch: main, commit: %q}", commit)
	}
	expect := &casefile.Expect{Object: "GitRepository/app", Observed: "Current", Artifact: casefile.Artifact{Revision: revision, Content: source.Content}}
	expect.Contains, expect.NotContains = source.Artifact.Contains, source.Artifact.NotContains
	return []casefile.Step{{Apply: fmt.Sprintf(gitObject, "app", reference)}, {Expect: expect}}
}
