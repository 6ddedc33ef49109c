// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
	"github.com/holdfast-gitops/holdfast/tests/conformance/play"
)

// crashes is how often the process is killed while it fetches and packs, unless
// CRASHES says otherwise, see make crashes.
const crashes = 8

func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("CRASHES")
	if text == "" {
		return crashes
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("CRASHES is %q, it must be a number of kills", text)
	}
	return n
}

// TestKilled: whenever the process is killed, what it shows after the next start
// is what Git has, and at no time is something offered under a digest that the
// bytes do not have.
func TestKilled(t *testing.T) {
	h := open(t)
	namespace := cluster.Namespace(t, h.cluster)
	player := h.player(t, os.Getenv(envSubject), "")
	repo, err := h.stage.Git.Create(t.Context(), namespace+"/app.git")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	push := func(round int) string {
		files := map[string]string{}
		for i := range 300 {
			if round == 0 || i%100 == round%100 {
				files[fmt.Sprintf("d%02d/f%d.yaml", i%20, i)] = strings.Repeat(fmt.Sprintf("round %d %d\n", round, random.Uint64()), 300)
			}
		}
		commit, err := repo.Change(t.Context(), fixture.Change{Repo: "app", Write: files, Commit: fmt.Sprintf("round %d", round), Save: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return commit
	}
	commit := push(0)
	steps := []casefile.Step{{Apply: fmt.Sprintf(gitObject, "app", "{branch: main}")}, {Expect: &casefile.Expect{Object: "GitRepository/app", Observed: "Current"}}}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: "killed", Steps: steps}); err != nil {
		t.Fatal(err)
	}
	obj := &sourcev1.GitRepository{}
	key := client.ObjectKey{Namespace: namespace, Name: "app"}
	for round := 1; round <= rounds(t); round++ {
		commit = push(round)
		obj.Namespace, obj.Name = namespace, "app"
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":"round-%d"}}}`, round)
		if err := h.stage.Client.Patch(t.Context(), obj, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
			t.Fatal(err)
		}
		// The moment of the crash is the point: some fall before the fetch, some
		// into it, some into packing, some after.
		moment := time.NewTimer(time.Duration(random.IntN(400)) * time.Millisecond)
		<-moment.C
		player.Subject.Kill()
		if err := player.Subject.Start(workers); err != nil {
			t.Fatal(err)
		}
		eventually(t, func(ctx context.Context) error {
			if err := h.stage.Client.Get(ctx, key, obj); err != nil {
				return err
			}
			if a := obj.Status.Artifact; a == nil || a.Revision != "main@sha1:"+commit {
				return fmt.Errorf("round %d: the artifact is %+v, want commit %s", round, a, commit)
			}
			return nil
		})
		if err := play.Verify(t.Context(), *obj.Status.Artifact); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// TestDiskFull: a disk that takes no more is a condition; the process lives, and
// other sources go on. The limit on file sizes stands for the disk: it needs no
// rights, and fails at the same call.
func TestDiskFull(t *testing.T) {
	h := open(t)
	namespace := cluster.Namespace(t, h.cluster)
	s := h.subjectOf(t, os.Getenv(envSubject), workers)
	s.LimitFiles(100 << 10)
	start(t, s)
	player := play.Player{Stage: h.stage, Subject: s, Ours: os.Getenv(envSubject) == ""}
	// Git holds equal files once; the archive holds each of them.
	random := rand.New(rand.NewPCG(5, 6))
	var content strings.Builder
	for content.Len() < 40<<10 {
		fmt.Fprintf(&content, "%016x", random.Uint64())
	}
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("copy-%d", i)] = content.String()
	}
	steps := []casefile.Step{
		{Git: &fixture.Change{Repo: "app", Write: files, Commit: "large", Save: "large"}},
		{Git: &fixture.Change{Repo: "small", Write: map[string]string{"a": "1"}, Commit: "small", Save: "small"}},
		{Apply: fmt.Sprintf(gitObject, "app", "{branch: main}")},
		{Expect: &casefile.Expect{Object: "GitRepository/app", Observed: "-1", Conditions: []string{
			"Ready=False ArchiveOperationFailed", "StorageOperationFailed=True ArchiveOperationFailed", "Reconciling=True ProgressingWithRetry",
		}}},
		{Apply: strings.ReplaceAll(fmt.Sprintf(gitObject, "small", "{branch: main}"), "app.git", "small.git")},
		{Expect: &casefile.Expect{Object: "GitRepository/small", Observed: "Current", Artifact: casefile.Artifact{Revision: "main@sha1:${small}"}}},
	}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: "full", Steps: steps}); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	s.LimitFiles(0)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	steps = []casefile.Step{{Expect: &casefile.Expect{
		Object: "GitRepository/app", Observed: "Current", Conditions: []string{"Ready=True Succeeded", "ArtifactInStorage=True Succeeded"},
	}}}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: "room again", Steps: steps}); err != nil {
		t.Fatal(err)
	}
}
