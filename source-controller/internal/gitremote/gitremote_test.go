// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	refs, err := m.List(t.Context(), remote, reference.Everything)
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

	refs, err := m.List(t.Context(), remote, reference.Heads)
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

func TestCredentials(t *testing.T) {
	const password = "s3cr3t-p4ss"
	server := gittest.Serve(t)
	repository := server.Create(t, "private.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	server.RequireBasic("robot", password)
	m := openMirrors(t, nil)
	address := server.Address(t, "private.git")

	good := secret(t, address, map[string]string{"username": "robot", "password": password})
	if commit, _ := look(t, m, good, "refs/heads/main"); commit != want {
		t.Fatalf("got %s, want %s", commit, want)
	}
	for name, data := range map[string]map[string]string{
		"none":  nil,
		"wrong": {"username": "robot", "password": "wr0ng-p4ss"},
	} {
		t.Run(name, func(t *testing.T) {
			remote := secret(t, address, data)
			_, err := m.List(t.Context(), remote, reference.Heads)
			if FaultOf(err) != Unauthorized {
				t.Fatalf("got %v, want fault Unauthorized", err)
			}
			if strings.Contains(err.Error(), "wr0ng") {
				t.Errorf("the error carries a value: %v", err)
			}
			// The mirror of the good credentials holds the commit.
			_, err = m.Checkout(t.Context(), remote, reference.Choice{Ref: "refs/heads/main", Commit: want}, time.Now().Add(patience))
			if FaultOf(err) != Unauthorized {
				t.Errorf("other credentials read the mirror: got %v", err)
			}
		})
	}
	t.Run("token, echoed by the server", func(t *testing.T) {
		server.RequireHeader("Bearer right")
		remote := secret(t, address, map[string]string{"bearerToken": "t0ken-v4lue"})
		_, err := m.List(t.Context(), remote, reference.Heads)
		if FaultOf(err) != Unauthorized || strings.Contains(err.Error(), "t0ken-v4lue") {
			t.Errorf("got %v, want Unauthorized without the value", err)
		}
		if _, err := m.List(t.Context(), secret(t, address, map[string]string{"bearerToken": "right"}), reference.Heads); err != nil {
			t.Errorf("the right token: %v", err)
		}
	})
}

func TestTrust(t *testing.T) {
	server, listener := gittest.ServeTLS(t)
	repository := server.Create(t, "r.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	m := openMirrors(t, nil)
	address := server.Address(t, "r.git")

	if _, err := m.List(t.Context(), Remote{Address: address}, reference.Heads); FaultOf(err) != Unreachable {
		t.Errorf("an unknown authority: got %v, want fault Unreachable", err)
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: listener.Certificate().Raw})
	remote := secret(t, address, map[string]string{"ca.crt": string(authority)})
	if commit, _ := look(t, m, remote, "refs/heads/main"); commit != want {
		t.Errorf("got %s, want %s", commit, want)
	}
	left, err := os.ReadDir(m.scratch)
	if err != nil || len(left) != 0 {
		t.Errorf("certificates stay on disk: %v, %v", left, err)
	}
}

func TestRedirects(t *testing.T) {
	const password = "s3cr3t-p4ss"
	target := gittest.Serve(t)
	repository := target.Create(t, "r.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	front := gittest.Serve(t)
	front.RedirectTo(target.URL)
	m := openMirrors(t, nil)
	remote := secret(t, front.Address(t, "r.git"), map[string]string{"username": "robot", "password": password})

	if commit, _ := look(t, m, remote, "refs/heads/main"); commit != want {
		t.Fatalf("got %s, want %s", commit, want)
	}
	for _, header := range target.Headers() {
		if header != "" {
			t.Fatalf("another host got credentials: %s", header)
		}
	}

	target.RequireBasic("robot", password)
	_, err := m.List(t.Context(), remote, reference.Heads)
	if FaultOf(err) != Unauthorized || !strings.Contains(err.Error(), target.URL) {
		t.Errorf("got %v, want Unauthorized that names the other host", err)
	}

	front.Before(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
		return false
	})
	if _, err := m.List(t.Context(), remote, reference.Heads); FaultOf(err) != Redirected {
		t.Errorf("a redirect to a login page: got %v, want fault Redirected", err)
	}
	front.Before(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusFound)
		return false
	})
	if _, err := m.List(t.Context(), remote, reference.Heads); FaultOf(err) != Redirected {
		t.Errorf("a redirect to itself: got %v, want fault Redirected", err)
	}
}

func TestSlowServer(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	server.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done() // until the client hangs up
		return false
	})
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "r.git")}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := m.List(ctx, remote, reference.Heads)
	if FaultOf(err) != TimedOut {
		t.Errorf("got %v, want fault TimedOut", err)
	}
	if took := time.Since(start); took > graceful {
		t.Errorf("git outlived its time: %s", took)
	}
	server.Before(nil)
	if _, err := m.List(t.Context(), remote, reference.Heads); err != nil {
		t.Errorf("the mirror is stuck after a timeout: %v", err)
	}
}

func TestRecovers(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	remote := Remote{Address: server.Address(t, "r.git")}
	choice := reference.Choice{Ref: "refs/heads/main", Commit: want}

	tests := map[string]struct {
		reason string
		damage func(t *testing.T, path string)
	}{
		"no configuration": {"git no longer takes it for a repository", func(t *testing.T, path string) {
			t.Helper()
			remove(t, filepath.Join(path, "HEAD"))
			remove(t, filepath.Join(path, "config"))
		}},
		"pack cut short": {"a full disk, or a crash", func(t *testing.T, path string) {
			t.Helper()
			packs, _ := filepath.Glob(filepath.Join(path, "objects", "pack", "*.pack"))
			for _, pack := range packs {
				remove(t, pack)
				if err := os.WriteFile(pack, []byte("PACK"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}},
		"pack gone": {"somebody tidied", func(t *testing.T, path string) {
			t.Helper()
			remove(t, filepath.Join(path, "objects", "pack"))
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := openMirrors(t, nil)
			take(t, m, remote, choice)
			tc.damage(t, filepath.Join(m.mirrors, m.name(remote)))
			if got, files := take(t, m, remote, choice); got != want || files["a"] != "1" {
				t.Errorf("%s: got %s with %v", tc.reason, got, files)
			}
		})
	}
	t.Run("lock of a killed git", func(t *testing.T) {
		m := openMirrors(t, nil)
		take(t, m, remote, choice)
		path := filepath.Join(m.mirrors, m.name(remote))
		if err := os.WriteFile(filepath.Join(path, "shallow.lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		root := filepath.Dir(m.mirrors)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		again := openMirrors(t, func(c *Config) { c.Root = root })
		moved := repository.Commit(t, "two", map[string]string{"a": "2"})
		repository.Push(t, "HEAD", "refs/heads/main")
		if got, _ := look(t, again, remote, "refs/heads/main"); got != moved {
			t.Errorf("got %s, want %s", got, moved)
		}
	})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestLimits(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("f%d", i)] = strings.Repeat(fmt.Sprint(i), 100)
	}
	commit := repository.Commit(t, "one", files)
	repository.Push(t, "HEAD", "refs/heads/main")
	remote := Remote{Address: server.Address(t, "r.git")}
	choice := reference.Choice{Ref: "refs/heads/main", Commit: commit}

	few := openMirrors(t, func(c *Config) { c.MaxEntries = 10 })
	if _, err := few.Checkout(t.Context(), remote, choice, time.Now().Add(patience)); FaultOf(err) != TooLarge {
		t.Errorf("a tree with more files than allowed: got %v, want fault TooLarge", err)
	}

	// The transfer is held open by the server until it is ended from here.
	server.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			<-r.Context().Done()
			return false
		}
		return true
	})
	small := openMirrors(t, func(c *Config) { c.MaxMirrorBytes = 1 })
	held, release, err := small.hold(t.Context(), remote)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(held.path, "objects", "pack", "tmp_pack_x"), []byte("12"), 0o600); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := small.Checkout(t.Context(), remote, choice, time.Now().Add(patience)); FaultOf(err) != TooLarge {
		t.Errorf("a transfer past the limit: got %v, want fault TooLarge", err)
	}
}

func TestRootIsPrivate(t *testing.T) {
	m := openMirrors(t, nil)
	if _, err := Open(t.Context(), Config{Root: filepath.Dir(m.mirrors), Environ: os.Environ()}); err == nil {
		t.Error("two processes share a root")
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Root: open, Environ: os.Environ()}); err == nil {
		t.Error("a folder that anyone may write to was taken")
	}
}

func TestSweep(t *testing.T) {
	server := gittest.Serve(t)
	server.Create(t, "one.git")
	server.Create(t, "two.git")
	m := openMirrors(t, nil)
	used, unused := Remote{Address: server.Address(t, "one.git")}, Remote{Address: server.Address(t, "two.git")}
	for _, remote := range []Remote{used, unused} {
		if _, err := m.List(t.Context(), remote, reference.Heads); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(m.mirrors, m.name(unused)), old, old); err != nil {
		t.Fatal(err)
	}
	removed, err := m.Sweep(time.Now().Add(-24 * time.Hour))
	if err != nil || removed != 1 {
		t.Fatalf("got %d removed, %v; want the unused one", removed, err)
	}
	entries, err := os.ReadDir(m.mirrors)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if diff := cmp.Diff([]string{m.name(used)}, left); diff != "" {
		t.Errorf("other mirrors are left (-want +got):\n%s", diff)
	}
}
