// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

// patience is what a test allows a real git to take.
const patience = 30 * time.Second

func openMirrors(t *testing.T, change func(*Config)) *Mirrors {
	t.Helper()
	config := Config{Root: filepath.Join(t.TempDir(), "git"), Environ: os.Environ()}
	if change != nil {
		change(&config)
	}
	m, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func secret(t *testing.T, address *url.URL, data map[string]string) Remote {
	t.Helper()
	raw := map[string][]byte{}
	for key, value := range data {
		raw[key] = []byte(value)
	}
	auth, err := credentials.New(address, raw)
	if err != nil {
		t.Fatal(err)
	}
	return Remote{Address: credentials.WithoutUser(address), Auth: auth}
}

// look lists, chooses and checks out a branch, and gives its files.
func look(t *testing.T, m *Mirrors, remote Remote, ref string) (commit string, files map[string]string) {
	t.Helper()
	refs, err := m.List(t.Context(), remote, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(refs, func(r reference.Ref) bool { return r.Name == ref })
	if i < 0 {
		t.Fatalf("%s is not listed: %v", ref, refs)
	}
	return take(t, m, remote, reference.Choice{Ref: ref, Commit: refs[i].Commit()})
}

func take(t *testing.T, m *Mirrors, remote Remote, choice reference.Choice) (commit string, files map[string]string) {
	t.Helper()
	tree, err := m.Checkout(t.Context(), remote, choice, time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	files = map[string]string{}
	for _, entry := range tree.Entries() {
		if entry.Kind == archive.Folder {
			continue
		}
		var content bytes.Buffer
		if err := tree.Copy(&content, entry); err != nil {
			t.Fatal(err)
		}
		files[entry.Path] = content.String()
	}
	return tree.Commit().Hash, files
}

func TestFollowsABranch(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "apps.git")
	bulk := map[string]string{"a.yaml": "one\n"}
	for i := range 300 {
		bulk[fmt.Sprintf("bulk/%03d", i)] = fmt.Sprintf("%032x\n", i*7919)
	}
	first := repository.Commit(t, "first", bulk)
	repository.Push(t, "HEAD", "refs/heads/main")
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "apps.git")}

	commit, files := look(t, m, remote, "refs/heads/main")
	if commit != first || files["a.yaml"] != "one\n" || len(files) != 301 {
		t.Fatalf("got %s with %d files, want %s with 301", commit, len(files), first)
	}
	_, cold := server.Traffic()

	if commit, _ = look(t, m, remote, "refs/heads/main"); commit != first {
		t.Fatalf("got %s, want %s", commit, first)
	}
	requests, _ := server.Traffic()
	for _, request := range requests {
		// Protocol 2 lists by a POST; a transfer would need a second one.
		if n := count(requests, "POST /apps.git/git-upload-pack"); n > 1 {
			t.Errorf("an unchanged branch was transferred: %s", request)
		}
	}

	second := repository.Commit(t, "second", map[string]string{"a.yaml": "two\n"})
	repository.Push(t, "HEAD", "refs/heads/main")
	commit, files = look(t, m, remote, "refs/heads/main")
	if commit != second || files["a.yaml"] != "two\n" {
		t.Fatalf("the branch moved to %s, got %s with %q", second, commit, files["a.yaml"])
	}
	if _, delta := server.Traffic(); delta > cold/5 {
		t.Errorf("one changed file moved %d bytes, the whole repository %d", delta, cold)
	}

	repository.Git(t, "reset", "--quiet", "--hard", first)
	forced := repository.Commit(t, "forced", map[string]string{"a.yaml": "three\n"})
	repository.Push(t, "HEAD", "refs/heads/main")
	if commit, files = look(t, m, remote, "refs/heads/main"); commit != forced || files["a.yaml"] != "three\n" {
		t.Errorf("a forced push to %s gave %s with %q", forced, commit, files["a.yaml"])
	}
}

func count(requests []string, wanted string) int {
	n := 0
	for _, request := range requests {
		if request == wanted {
			n++
		}
	}
	return n
}

func TestReferencesThatComeAndGo(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "r.git")}

	refs, err := m.List(t.Context(), remote, []string{"refs/heads/"})
	if err != nil || len(refs) != 0 {
		t.Fatalf("an empty repository lists nothing, got %v, %v", refs, err)
	}

	commit := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Git(t, "tag", "-a", "-m", "release", "v1")
	repository.Push(t, "HEAD", "refs/heads/topic")
	repository.Push(t, "v1", "refs/tags/v1")
	repository.Push(t, "HEAD", "refs/pull/7/head")
	for _, ref := range []string{"refs/heads/topic", "refs/tags/v1", "refs/pull/7/head"} {
		if got, _ := look(t, m, remote, ref); got != commit {
			t.Errorf("%s: got %s, want the commit %s", ref, got, commit)
		}
	}

	// A branch becomes a folder of branches: file and folder on our side too.
	repository.Git(t, "push", "--quiet", repository.Path, ":refs/heads/topic")
	repository.Push(t, "HEAD", "refs/heads/topic/a")
	if got, _ := look(t, m, remote, "refs/heads/topic/a"); got != commit {
		t.Errorf("got %s, want %s", got, commit)
	}
	_, err = m.Checkout(t.Context(), remote, reference.Choice{Ref: "refs/heads/topic", Commit: strings.Repeat("0", 40)}, time.Now().Add(patience))
	if FaultOf(err) != NotFound {
		t.Errorf("a branch that is gone: got %v, want fault NotFound", err)
	}

	// Between the listing and the transfer the branch moves on.
	moved := repository.Commit(t, "two", map[string]string{"a": "2"})
	repository.Push(t, "HEAD", "refs/heads/main")
	if got, _ := take(t, m, remote, reference.Choice{Ref: "refs/heads/main", Commit: strings.Repeat("1", 40)}); got != moved {
		t.Errorf("got %s, want what was fetched, %s", got, moved)
	}
}

func TestPinnedCommits(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	old := repository.Commit(t, "old", map[string]string{"a": "1"})
	repository.Commit(t, "new", map[string]string{"a": "2"})
	repository.Push(t, "HEAD", "refs/heads/main")
	repository.Git(t, "checkout", "--quiet", "-b", "other", old)
	stray := repository.Commit(t, "stray", map[string]string{"a": "3"})
	repository.Push(t, "HEAD", "refs/pull/1/head") // of nobody's branch
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "r.git")}

	// A shallow mirror first: history has to be completed, not assumed.
	look(t, m, remote, "refs/heads/main")
	look(t, m, remote, "refs/pull/1/head")

	tests := map[string]struct {
		reason string
		choice reference.Choice
		fault  Fault
	}{
		"in the branch":     {"behind its tip", reference.Choice{Ref: "refs/heads/main", Commit: old, History: true}, ""},
		"in any branch":     {"every branch is searched", reference.Choice{Commit: old, History: true}, ""},
		"in no branch":      {"that the mirror has it does not make it part of a branch", reference.Choice{Commit: stray, History: true}, NotFound},
		"not in the branch": {"same, with the branch named", reference.Choice{Ref: "refs/heads/main", Commit: stray, History: true}, NotFound},
		"nowhere":           {"an unknown object", reference.Choice{Commit: strings.Repeat("9", 40), History: true}, NotFound},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tree, err := m.Checkout(t.Context(), remote, tc.choice, time.Now().Add(patience))
			if FaultOf(err) != tc.fault {
				t.Fatalf("%s: got %v, want fault %q", tc.reason, err, tc.fault)
			}
			if err != nil {
				return
			}
			defer tree.Close()
			if got := tree.Commit(); got.Hash != tc.choice.Commit || got.Subject != "old" || got.Committed.IsZero() {
				t.Errorf("%s: got commit %+v", tc.reason, got)
			}
		})
	}
}

// TestOneFetchForAll: sources of one remote with the same credentials share its
// mirror; the second of them moves nothing, and reads while others read.
func TestOneFetchForAll(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	commit := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "r.git")}
	choice := reference.Choice{Ref: "refs/heads/main", Commit: commit}
	for i := range 20 {
		tree, err := m.Checkout(t.Context(), remote, choice, time.Now().Add(patience))
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		if requests, _ := server.Traffic(); (i == 0) != (len(requests) > 0) {
			t.Errorf("source %d asked %q", i, requests)
		}
	}
	// Once the server is known, a look is one request.
	if _, err := m.List(t.Context(), remote, []string{"refs/heads/main"}); err != nil {
		t.Fatal(err)
	}
	server.Traffic()
	refs, err := m.List(t.Context(), remote, []string{"refs/heads/main"})
	requests, sent := server.Traffic()
	if err != nil || len(refs) != 1 || len(requests) != 1 || sent > 100 {
		t.Errorf("an unchanged reference cost %q and %d bytes: %v", requests, sent, err)
	}
}
