// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

// addLink puts a submodule into a work tree without fetching it: what a hostile
// repository says, git would not write.
func addLink(t *testing.T, r *gittest.Repository, commit, path, address string) {
	t.Helper()
	r.Git(t, "update-index", "--add", "--cacheinfo", "160000,"+commit+","+path)
	r.Git(t, "config", "--file", ".gitmodules", "submodule."+path+".path", path)
	r.Git(t, "config", "--file", ".gitmodules", "submodule."+path+".url", address)
	r.Git(t, "add", ".gitmodules")
	r.Git(t, "commit", "--quiet", "-m", "link "+path)
	r.Push(t, "HEAD", "refs/heads/main")
}

func openMain(t *testing.T, m *Mirrors, remote Remote) *Tree {
	t.Helper()
	refs, err := m.List(t.Context(), remote, []string{"refs/heads/main"})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := m.Checkout(t.Context(), remote, reference.Choice{Ref: "refs/heads/main", Commit: refs[0].Hash}, time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tree.Close)
	return tree
}

func TestSubmodules(t *testing.T) {
	const password = "s3cr3t-p4ss"
	server, other := gittest.Serve(t), gittest.Serve(t)
	server.RequireBasic("robot", password)
	inner := server.Create(t, "group/inner.git")
	innerCommit := inner.Commit(t, "inner", map[string]string{"deep": "1"})
	inner.Commit(t, "inner, later", map[string]string{"deep": "2"})
	inner.Push(t, "HEAD", "refs/heads/main")
	middle := server.Create(t, "group/middle.git")
	middle.Commit(t, "middle", map[string]string{"m": "1"})
	addLink(t, middle, innerCommit, "nested/inner", "../inner.git")
	foreign := other.Create(t, "public.git")
	foreignCommit := foreign.Commit(t, "public", map[string]string{"p": "1"})
	foreign.Push(t, "HEAD", "refs/heads/main")
	outer := server.Create(t, "group/outer.git")
	outer.Commit(t, "outer", map[string]string{"o": "1"})
	addLink(t, outer, middle.Git(t, "rev-parse", "HEAD"), "a", "./../middle.git")
	addLink(t, outer, foreignCommit, "b", other.URL+"/public.git")
	addLink(t, outer, middle.Git(t, "rev-parse", "HEAD"), "c", server.URL+"/group/middle.git")
	m := openMirrors(t, nil)
	remote := secret(t, server.Address(t, "group/outer.git"), map[string]string{"username": "robot", "password": password})

	tree := openMain(t, m, remote)
	submodules, err := m.Submodules(t.Context(), remote, tree, time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer CloseAll(submodules)
	var got, gitFiles []string
	for _, s := range submodules {
		gitFiles = append(gitFiles, s.GitFile)
		for _, entry := range s.Tree.Entries() {
			var content strings.Builder
			if entry.ID != "" && len(s.Tree.links()) == 0 {
				if err := s.Tree.Copy(&content, entry); err != nil {
					t.Fatal(err)
				}
			}
			got = append(got, s.Path+": "+entry.Path+" "+content.String())
		}
	}
	want := []string{
		"a: .gitmodules ", "a: m ", "a: nested/inner ", "a/nested/inner: deep 1",
		"b: p 1",
		"c: .gitmodules ", "c: m ", "c: nested/inner ", "c/nested/inner: deep 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("submodules at all levels (-want +got):\n%s", diff)
	}
	wantFiles := []string{
		"gitdir: ../.git/modules/a\n", "gitdir: ../../../.git/modules/a/modules/nested/inner\n", "gitdir: ../.git/modules/b\n",
		"gitdir: ../.git/modules/c\n", "gitdir: ../../../.git/modules/c/modules/nested/inner\n",
	}
	if diff := cmp.Diff(wantFiles, gitFiles); diff != "" {
		t.Errorf("where a checkout would keep their objects (-want +got):\n%s", diff)
	}
	for _, header := range other.Headers() {
		if header != "" {
			t.Errorf("a host that the repository names got credentials: %s", header)
		}
	}
}

func TestHostileSubmodules(t *testing.T) {
	server := gittest.Serve(t)
	secretFile := server.Create(t, "local.git")
	commit := secretFile.Commit(t, "local", map[string]string{"s": "1"})
	secretFile.Push(t, "HEAD", "refs/heads/main")
	tests := map[string]struct {
		reason  string
		address string
		fault   Fault
	}{
		"file":           {"would read the controller's disk", "file://" + secretFile.Path, Unsupported},
		"path":           {"same", secretFile.Path, Unsupported},
		"ext":            {"would run a program", "ext::sh -c touch% /tmp/owned", Unsupported},
		"option":         {"would be one of git's", "--upload-pack=touch /tmp/owned", Unsupported},
		"option as host": {"would be one of ssh's", "ssh://-oProxyCommand=x/r", Unsupported},
		"option, short":  {"same", "-oProxyCommand=x@host:r", Unsupported},
		"climbs":         {"above the host", "../../../../etc", Unsupported},
		"git":            {"neither encrypted nor authenticated", "git://127.0.0.1/r", Unsupported},
		"bundle":         {"a helper", "bundle:///tmp/x", Unsupported},
		"ssh, no key":    {"the parent has none", "ssh://git@127.0.0.1/r.git", Unsupported},
		"short, no key":  {"same", "git@127.0.0.1:r.git", Unsupported},
		"nowhere":        {"no such repository", server.URL + "/none.git", NotFound},
		"line break":     {"no address", "http://127.0.0.1/\nHost: x", Unsupported},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			folder := strings.NewReplacer(" ", "-", ",", "").Replace(name) + ".git"
			repository := server.Create(t, folder)
			repository.Commit(t, "one", map[string]string{"a": "1"})
			addLink(t, repository, commit, "sub", tc.address)
			m := openMirrors(t, nil)
			remote := Remote{Address: server.Address(t, folder)}
			_, err := m.Submodules(t.Context(), remote, openMain(t, m, remote), time.Now().Add(patience))
			if FaultOf(err) != tc.fault {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

func TestSubmodulesThatAreNone(t *testing.T) {
	server := gittest.Serve(t)
	m := openMirrors(t, nil)
	for name, write := range map[string]func(*gittest.Repository, string){
		"without an address": func(r *gittest.Repository, commit string) {
			r.Git(t, "update-index", "--add", "--cacheinfo", "160000,"+commit+",sub")
			r.Git(t, "commit", "--quiet", "-m", "link")
		},
		"without a commit": func(r *gittest.Repository, _ string) {
			r.Commit(t, "file", map[string]string{".gitmodules": "[submodule \"x\"]\npath = x\nurl = file:///etc\n"})
		},
	} {
		repository := server.Create(t, strings.ReplaceAll(name, " ", "-")+".git")
		commit := repository.Commit(t, "one", map[string]string{"a": "1"})
		write(repository, commit)
		repository.Push(t, "HEAD", "refs/heads/main")
		remote := Remote{Address: server.Address(t, strings.ReplaceAll(name, " ", "-")+".git")}
		submodules, err := m.Submodules(t.Context(), remote, openMain(t, m, remote), time.Now().Add(patience))
		if err != nil || len(submodules) != 0 {
			t.Errorf("%s: got %v, %v", name, submodules, err)
		}
	}
	repository := server.Create(t, "broken.git")
	commit := repository.Commit(t, "one", map[string]string{".gitmodules": "[submodule \"x\"\nurl ="})
	repository.Git(t, "update-index", "--add", "--cacheinfo", "160000,"+commit+",sub")
	repository.Git(t, "commit", "--quiet", "-m", "link")
	repository.Push(t, "HEAD", "refs/heads/main")
	remote := Remote{Address: server.Address(t, "broken.git")}
	if _, err := m.Submodules(t.Context(), remote, openMain(t, m, remote), time.Now().Add(patience)); FaultOf(err) != Unsupported {
		t.Errorf("a file that is no configuration: got %v", err)
	}
}

func FuzzSubmoduleAddress(f *testing.F) {
	for _, seed := range []string{"../x.git", "./../../x", "git@host:x", "https://h/x", "ext::sh", "file:///x", "-x", "http://[::1]:8/x"} {
		f.Add(seed)
	}
	parent, _ := url.Parse("https://host/group/repo.git")
	f.Fuzz(func(t *testing.T, raw string) {
		address, err := submoduleAddress(parent, raw)
		if err != nil {
			return
		}
		switch address.Scheme {
		case "http", "https", "ssh":
		default:
			t.Errorf("%q: the scheme %q came through", raw, address.Scheme)
		}
		if address.Host == "" || strings.HasPrefix(address.Host, "-") || strings.ContainsAny(address.Host, "\n\r\x00 ") {
			t.Errorf("%q: the host %q came through", raw, address.Host)
		}
		if strings.HasPrefix(raw, ".") && (address.Host != parent.Host || !strings.HasPrefix(address.Path, "/")) {
			t.Errorf("%q: a relative address became %s", raw, address)
		}
	})
}

// TestSHA256 follows a repository that names its objects by SHA-256.
func TestSHA256(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "long.git")
	work := filepath.Join(t.TempDir(), "work")
	script := `set -e
rm -rf "$1" && git init -q --bare --object-format=sha256 --initial-branch=main "$1"
git init -q --object-format=sha256 --initial-branch=main "$2" && cd "$2"
echo one > a && git add a && git -c user.name=t -c user.email=t@t commit -q -m one
git -c user.name=t -c user.email=t@t tag -a -m v1 v1
git push -q "$1" main v1`
	if out, err := exec.Command("sh", "-c", script, "sh", repository.Path, work).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "long.git")}
	commit, files := look(t, m, remote, "refs/heads/main")
	if len(commit) != 64 || files["a"] != "one\n" {
		t.Errorf("got %s with %v", commit, files)
	}
	if tagged, _ := look(t, m, remote, "refs/tags/v1"); tagged != commit {
		t.Errorf("the tag leads to %s", tagged)
	}
}
