// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
)

// plant commits a tree whose entries git itself would not write, each as "mode
// name", all with the same content.
func plant(t *testing.T, r *gittest.Repository, entries ...string) {
	t.Helper()
	blob, err := hex.DecodeString(r.Object(t, "blob", "content"))
	if err != nil {
		t.Fatal(err)
	}
	var raw strings.Builder
	for _, entry := range entries {
		raw.WriteString(entry + "\x00" + string(blob))
	}
	tree := r.Object(t, "tree", raw.String())
	commit := r.Object(t, "commit", "tree "+tree+"\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nplanted\n")
	r.Git(t, "update-ref", "refs/heads/planted", commit)
	r.Push(t, "refs/heads/planted", "refs/heads/main")
}

// TestHostileTrees: what no honest client commits is refused with a condition,
// or left out as a checkout would.
func TestHostileTrees(t *testing.T) {
	server := gittest.Serve(t)
	tests := map[string]struct {
		reason  string
		entries []string
		want    map[string]string // nil where it is refused
		halt    string
	}{
		"climbs":     {"would leave where it is unpacked", []string{"100644 .."}, nil, sourcev1.GitOperationFailedReason},
		"stays":      {"is no name", []string{"100644 ."}, nil, sourcev1.GitOperationFailedReason},
		"absolute":   {"would leave where it is unpacked", []string{"100644 /etc"}, nil, sourcev1.GitOperationFailedReason},
		"slash":      {"one name, two components", []string{"100644 a/../../b"}, nil, sourcev1.GitOperationFailedReason},
		".git":       {"would plant a repository", []string{"100644 .GiT"}, nil, sourcev1.GitOperationFailedReason},
		"twice":      {"which one is meant", []string{"100644 a", "100644 a"}, nil, sourcev1.GitOperationFailedReason},
		"device":     {"Git takes every unknown mode for a submodule, which is an empty folder", []string{"100644 a", "020644 dev"}, map[string]string{"a": "content"}, ""},
		"case":       {"two names on the systems that consumers run", []string{"100644 A", "100644 a"}, map[string]string{"A": "content", "a": "content"}, ""},
		"line break": {"a name as good as any", []string{"100644 a\nb", "100644 c\td"}, map[string]string{"a\nb": "content", "c\td": "content"}, ""},
		"option":     {"nobody reads names as options", []string{"100644 --help"}, map[string]string{"--help": "content"}, ""},
		"link":       {"links are left out, wherever they lead", []string{"100644 a", "120000 out"}, map[string]string{"a": "content"}, ""},
		"not text":   {"bytes are bytes", []string{"100644 \xff\xfe"}, map[string]string{"\xff\xfe": "content"}, ""},
		"sticky":     {"only whether it is executable is kept", []string{"104755 a", "100664 b"}, map[string]string{"a": "content", "b": "content"}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			folder := strings.ReplaceAll(strings.Trim(name, "."), " ", "-") + ".git"
			plant(t, server.Create(t, folder), tc.entries...)
			obj := source(server.URL+"/"+folder, func(o *sourcev1.GitRepository) { o.Spec.Reference = &sourcev1.GitRepositoryRef{Branch: "main"} })
			packed, _, failure := pack(t, gitForTest(t, nil), obj)
			if tc.halt != "" {
				if failure == nil || failure.Halt.Reason != tc.halt || failure.Condition != sourcev1.FetchFailedCondition {
					t.Errorf("%s: got %+v", tc.reason, failure)
				}
				return
			}
			if failure != nil {
				t.Fatalf("%s: %v", tc.reason, failure.Halt)
			}
			if diff := cmp.Diff(tc.want, unpacked(t, packed)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestBombs: a small transfer that unfolds to much is refused before it is read.
func TestBombs(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	repository.Commit(t, "bomb", map[string]string{"zeros": strings.Repeat("\x00", 32<<20), "ok.yaml": "a: 1\n"})
	repository.Push(t, "HEAD", "refs/heads/main")
	git := gitForTest(t, nil)
	git.maxBytes = 1 << 20
	bomb := func(o *sourcev1.GitRepository) { o.Spec.Reference = &sourcev1.GitRepositoryRef{Branch: "main"} }
	if _, _, failure := pack(t, git, source(server.URL+"/r.git", bomb)); failure == nil || failure.Halt.Reason != sourcev1.ArchiveOperationFailedReason {
		t.Errorf("got %+v", failure)
	}
	without := func(o *sourcev1.GitRepository) { bomb(o); ignore := "zeros\n"; o.Spec.Ignore = &ignore }
	if packed, _, failure := pack(t, git, source(server.URL+"/r.git", without)); failure != nil || len(unpacked(t, packed)) != 1 {
		t.Errorf("what is left out does not count: %+v", failure)
	}
}

// TestHostileServers: whatever a server does, a pass ends in time, with a
// condition, and the next source is served.
func TestHostileServers(t *testing.T) {
	const password = "s3cr3t-p4ss"
	behaviours := map[string]func(http.ResponseWriter, *http.Request) bool{
		"hangs": func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return false },
		"trickles": func(w http.ResponseWriter, r *http.Request) bool {
			ticker := time.NewTicker(50 * time.Millisecond)
			defer ticker.Stop()
			for _, b := range []byte(strings.Repeat("001e# service=git-upload-pack\n", 1000)) {
				_, _ = w.Write([]byte{b})
				w.(http.Flusher).Flush()
				select {
				case <-ticker.C:
				case <-r.Context().Done():
					return false
				}
			}
			return false
		},
		"floods": func(w http.ResponseWriter, r *http.Request) bool {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "003d1111111111111111111111111111111111111111 refs/heads/main\n"); err != nil {
					return false
				}
			}
			return false
		},
		"rubbish": func(w http.ResponseWriter, _ *http.Request) bool { _, _ = io.WriteString(w, "<html>"); return false },
		"echoes": func(w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, r.Header.Get("Authorization")+password, http.StatusTeapot)
			return false
		},
		"tells lies in the protocol": func(w http.ResponseWriter, r *http.Request) bool {
			_, password, _ := r.BasicAuth()
			_, _ = io.WriteString(w, "0030ERR your password is "+password+"            ")
			return false
		},
		"sends away": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
			return false
		},
	}
	git := gitForTest(t, secretReader{"s": {"username": "robot", "password": password}})
	for name, behaviour := range behaviours {
		t.Run(name, func(t *testing.T) {
			server := gittest.Serve(t)
			server.Before(behaviour)
			obj := source(server.URL+"/r.git", func(o *sourcev1.GitRepository) {
				o.Spec.Timeout = &metav1.Duration{Duration: 2 * time.Second}
				o.Spec.SecretRef = ref("s")
			})
			_, _, failure := pack(t, git, obj)
			if failure == nil || failure.Condition != sourcev1.FetchFailedCondition || failure.Halt.Reason != sourcev1.GitOperationFailedReason {
				t.Fatalf("got %+v", failure)
			}
			if message := failure.Halt.Error(); strings.Contains(message, password) || len(message) > 2000 {
				t.Errorf("the message carries a value or is long: %s", message)
			}
		})
	}
	good := gittest.Serve(t)
	repository := good.Create(t, "r.git")
	repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/master")
	if _, _, failure := pack(t, git, source(good.URL+"/r.git", nil)); failure != nil {
		t.Errorf("another source does not go on: %v", failure.Halt)
	}
}
