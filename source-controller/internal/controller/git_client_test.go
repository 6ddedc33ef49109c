// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitclone"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
)

// cloning is the kind with Flux's client in the place of the git program, which
// it does not need.
func cloning(t *testing.T, secrets secretReader, maxBytes int64, maxFiles int) *gitKind {
	t.Helper()
	git := gitForTest(t, secrets)
	root := filepath.Join(t.TempDir(), "gogit")
	lister, err := gitremote.Open(t.Context(), gitremote.Config{Root: root, Environ: os.Environ(), ListOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lister.Close() })
	clones := filepath.Join(root, "clones")
	git.remotes, err = gitclone.Open(gitclone.Config{Root: clones, Lister: lister, MaxBytes: maxBytes, MaxEntries: maxFiles})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(clones); err != nil || len(left) > 0 {
			t.Errorf("clones are left behind: %v, %v", left, err)
		}
	})
	return git
}

// outcome is all that a client decides on.
type outcome struct {
	revision, verification, title string
	tarball                       []byte
}

func fetched(t *testing.T, git *gitKind, obj *sourcev1.GitRepository) outcome {
	t.Helper()
	target, failure := git.resolve(t.Context(), obj)
	if failure != nil {
		t.Fatal(failure.Halt)
	}
	got, failure := target.fetch(t.Context())
	if failure != nil {
		t.Fatal(failure.Halt)
	}
	defer got.close()
	var packed bytes.Buffer
	if err := got.write(&packed); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	// The whole of it: what is beside the files counts too.
	tarball, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{got.revision, got.verification.Message, got.title, tarball}
}

// manyThings is a repository with all that a client could get wrong, and what
// it needs beside it.
func manyThings(t *testing.T, server *gittest.Server, key gittest.Signer) (first string) {
	t.Helper()
	library := server.Create(t, "library.git")
	old := library.Commit(t, "library", map[string]string{"lib/x": "library", "README.md": "r"})
	library.Commit(t, "library, later", map[string]string{"lib/x": "later"})
	library.Push(t, "HEAD", "refs/heads/master")
	r := server.Create(t, "r.git")
	first = r.Commit(t, "first", map[string]string{
		".gitattributes": "*.txt text eol=crlf\nsecret export-ignore\n", ".sourceignore": "*.md\n",
		"app/a": "1", "app.yaml": "sorts after the folder\n", "crlf.txt": "one\r\ntwo\n", "empty": "", "README.md": "out", "secret": "s", "ünï/ä": "ü",
		"large": strings.Repeat("more than is kept in memory ", 100_000),
	})
	r.Write(t, "run.sh", "#!/bin/sh\n", 0o755)
	r.Link(t, "link", "app/a")
	r.Git(t, "update-index", "--add", "--cacheinfo", "160000,"+old+",app/vendor")
	r.Git(t, "config", "--file", ".gitmodules", "submodule.v.path", "app/vendor")
	r.Git(t, "config", "--file", ".gitmodules", "submodule.v.url", "../library.git")
	r.Git(t, "add", "run.sh", "link", ".gitmodules")
	r.Git(t, "commit", "--quiet", "-m", "with a submodule")
	r.SignHead(t, key)
	r.SignTag(t, key, "v1.0.0", "v1.0.0")
	r.Git(t, "tag", "light")
	r.Push(t, "HEAD", "refs/heads/feature/x")
	r.Push(t, "HEAD", "refs/changes/1/head")
	r.Commit(t, "second", map[string]string{"app/a": "2"})
	r.SignHead(t, key)
	r.Git(t, "tag", "v1.0.0+later")
	r.Push(t, "HEAD", "refs/heads/master")
	r.Git(t, "push", "--quiet", "--tags", r.Path)
	return first
}

// TestClientsAgree runs the whole way from the object to the tar with either
// client: revision, signature and every byte have to be the same.
func TestClientsAgree(t *testing.T) {
	server := gittest.Serve(t)
	key := gittest.SSHKey(t)
	first := manyThings(t, server, key)
	server.RequireBasic("robot", "s3cr3t-p4ss")
	host := server.SSH(t)
	secrets := secretReader{
		"http": {"username": "robot", "password": "s3cr3t-p4ss"},
		"ssh":  {"identity": string(host.Identity(t, "l0ng")), "known_hosts": string(host.KnownHosts()), "password": "l0ng"},
		"keys": {"a.sshpub": string(key.Public)},
	}
	program, library := gitForTest(t, secrets), cloning(t, secrets, 1<<30, 1000)
	signed := func(mode sourcev1.GitVerificationMode) func(*sourcev1.GitRepository) {
		return func(o *sourcev1.GitRepository) {
			o.Spec.Verification = &sourcev1.GitRepositoryVerification{Mode: mode, SecretRef: meta.LocalObjectReference{Name: "keys"}}
		}
	}
	tests := map[string]struct {
		reason string
		ref    sourcev1.GitRepositoryRef
		change func(*sourcev1.GitRepository)
	}{
		"default":        {"master", sourcev1.GitRepositoryRef{}, signed("head")},
		"branch":         {"with a slash", sourcev1.GitRepositoryRef{Branch: "feature/x"}, nil},
		"tag":            {"annotated and signed", sourcev1.GitRepositoryRef{Tag: "v1.0.0"}, signed(sourcev1.ModeGitTagAndHEAD)},
		"light tag":      {"names a commit", sourcev1.GitRepositoryRef{Tag: "light"}, nil},
		"semver":         {"two equal versions: the later commit", sourcev1.GitRepositoryRef{SemVer: "1.x"}, nil},
		"commit":         {"behind the tips", sourcev1.GitRepositoryRef{Commit: first}, nil},
		"commit, branch": {"in its history", sourcev1.GitRepositoryRef{Commit: first, Branch: "feature/x"}, nil},
		"name, branch":   {"a full reference", sourcev1.GitRepositoryRef{Name: "refs/heads/feature/x"}, nil},
		"name, tag":      {"peeled", sourcev1.GitRepositoryRef{Name: "refs/tags/v1.0.0^{}"}, nil},
		"name, neither":  {"as reviews have them", sourcev1.GitRepositoryRef{Name: "refs/changes/1/head"}, nil},
		"submodules":     {"at the recorded commit", sourcev1.GitRepositoryRef{}, func(o *sourcev1.GitRepository) { o.Spec.RecurseSubmodules = true }},
		"sparse":         {"folders", sourcev1.GitRepositoryRef{}, func(o *sourcev1.GitRepository) { o.Spec.SparseCheckout = []string{"app"} }},
		"sparse submodules": {"both", sourcev1.GitRepositoryRef{}, func(o *sourcev1.GitRepository) {
			o.Spec.RecurseSubmodules, o.Spec.SparseCheckout = true, []string{"app"}
		}},
	}
	for secret, address := range map[string]string{"http": server.URL + "/r.git", "ssh": host.URL(t, "r.git").String()} {
		for name, tc := range tests {
			t.Run(secret+" "+name, func(t *testing.T) {
				obj := source(address, func(o *sourcev1.GitRepository) {
					o.Spec.SecretRef, o.Spec.Reference = ref(secret), &tc.ref
					if tc.change != nil {
						tc.change(o)
					}
				})
				want, got := fetched(t, program, obj.DeepCopy()), fetched(t, library, obj.DeepCopy())
				if got.revision != want.revision || got.verification != want.verification || got.title != want.title {
					t.Errorf("%s: got %s %q %q, want %s %q %q", tc.reason, got.revision, got.verification, got.title, want.revision, want.verification, want.title)
				}
				if !bytes.Equal(got.tarball, want.tarball) {
					t.Errorf("%s: another tar, of %d bytes instead of %d", tc.reason, len(got.tarball), len(want.tarball))
				}
			})
		}
	}
}

// TestClientRefuses: what the client cannot do, or must not, ends with a fault
// that says so, and leaves nothing on disk.
func TestClientRefuses(t *testing.T) {
	const password = "s3cr3t-p4ss"
	server, other := gittest.Serve(t), gittest.Serve(t)
	manyThings(t, server, gittest.SSHKey(t))
	lonely := server.Create(t, "lonely.git")
	lonely.Commit(t, "one", map[string]string{"a": "1"})
	lonely.Push(t, "HEAD", "refs/heads/master")
	lonely.Commit(t, "a review that nobody merged", map[string]string{"a": "2"})
	lonely.Push(t, "HEAD", "refs/pull/7/head")
	manyThings(t, other, gittest.SSHKey(t))
	other.RequireBasic("robot", password)
	tests := map[string]struct {
		reason   string
		address  string
		ref      sourcev1.GitRepositoryRef
		maxBytes int64
		maxFiles int
		want     string
	}{
		"review":     {"only branches and tags are fetched", server.URL + "/lonely.git", sourcev1.GitRepositoryRef{Name: "refs/pull/7/head"}, 0, 0, "--git-client=git"},
		"large":      {"the disk is bounded", server.URL + "/r.git", sourcev1.GitRepositoryRef{}, 4096, 0, "--git-mirror-max-size"},
		"many":       {"so is the number of files", server.URL + "/r.git", sourcev1.GitRepositoryRef{}, 0, 3, "more than 3 files"},
		"no secret":  {"who is asked says so", other.URL + "/r.git", sourcev1.GitRepositoryRef{}, 0, 0, "authentication required"},
		"nothing":    {"no such branch", server.URL + "/r.git", sourcev1.GitRepositoryRef{Branch: "none"}, 0, 0, "refs/heads/none"},
		"no sources": {"no such repository", server.URL + "/none.git", sourcev1.GitRepositoryRef{}, 0, 0, "404"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			git := cloning(t, nil, tc.maxBytes, tc.maxFiles)
			_, _, failure := pack(t, git, source(tc.address, func(o *sourcev1.GitRepository) { o.Spec.Reference = &tc.ref }))
			if failure == nil || failure.Halt.Reason != sourcev1.GitOperationFailedReason || !strings.Contains(failure.Halt.Error(), tc.want) {
				t.Errorf("%s: got %+v", tc.reason, failure)
			}
		})
	}
}

// TestClientFollowsNoRedirect: another host gets no credentials from either.
func TestClientFollowsNoRedirect(t *testing.T) {
	server, other := gittest.Serve(t), gittest.Serve(t)
	server.Create(t, "r.git")
	manyThings(t, other, gittest.SSHKey(t))
	server.RedirectTo(other.URL)
	git := cloning(t, secretReader{"http": {"username": "robot", "password": "s3cr3t-p4ss"}}, 0, 0)
	_, _, failure := pack(t, git, source(server.URL+"/r.git", func(o *sourcev1.GitRepository) { o.Spec.SecretRef = ref("http") }))
	if failure != nil {
		t.Fatal(failure.Halt)
	}
	for _, header := range other.Headers() {
		if strings.Contains(header, "Basic") {
			t.Errorf("the other host got %q", header)
		}
	}
}
