// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/http/fetch"
	"github.com/fluxcd/pkg/tar"
	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
)

const secret = "0123456789abcdef0123456789abcdef"

func open(t *testing.T) (*rendered.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := rendered.NewStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// A consumer downloads it as it downloads every artifact: by URL and digest.
func TestStoredManifestsCanBeFetched(t *testing.T) {
	s, _ := open(t)
	stored, err := s.Put(secret, []byte("a: b\n"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	dir := t.TempDir()
	if err := fetch.New(fetch.WithUntar(tar.WithMaxUntarSize(1<<20))).Fetch(server.URL+"/"+stored.Path, stored.Digest, dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, rendered.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a: b\n", string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := s.Put(secret, []byte("a: b\n"))
	if err != nil || again != stored {
		t.Errorf("the same manifests are the same artifact: want %v, got %v %v", stored, again, err)
	}
}

func TestOnlyWholePathsAreServed(t *testing.T) {
	s, _ := open(t)
	stored, err := s.Put(secret, []byte("a: b\n"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		method, path string
		want         int
	}{
		"Whole":     {http.MethodGet, "/" + stored.Path, http.StatusOK},
		"Head":      {http.MethodHead, "/" + stored.Path, http.StatusOK},
		"Root":      {http.MethodGet, "/", http.StatusNotFound},
		"Folder":    {http.MethodGet, "/r/", http.StatusNotFound},
		"Listing":   {http.MethodGet, "/r/" + secret + "/", http.StatusNotFound},
		"Other":     {http.MethodGet, strings.Replace("/"+stored.Path, "0123", "3210", 1), http.StatusNotFound},
		"Traversal": {http.MethodGet, "/r/" + secret + "/../../x", http.StatusNotFound},
		"Write":     {http.MethodPut, "/" + stored.Path, http.StatusNotFound},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			request := httptest.NewRequest(tc.method, "/", nil)
			request.URL.Path = tc.path
			s.ServeHTTP(answer, request)
			if answer.Code != tc.want {
				t.Errorf("want %d, got %d", tc.want, answer.Code)
			}
		})
	}
}

func TestRetention(t *testing.T) {
	s, dir := open(t)
	var last []rendered.Artifact
	for i := range 4 {
		stored, err := s.Put(secret, fmt.Appendf(nil, "n: %d\n", i))
		if err != nil {
			t.Fatal(err)
		}
		// Ages are set apart, since files of one test may have the same time.
		at := time.Unix(int64(1000*(i+1)), 0)
		if err := os.Chtimes(filepath.Join(dir, stored.Path), at, at); err != nil {
			t.Fatal(err)
		}
		last = append(last, stored)
	}
	if _, err := s.Put(strings.Repeat("a", 32), []byte("other: x\n")); err != nil {
		t.Fatal(err)
	}
	for i, stored := range last {
		_, err := os.Stat(filepath.Join(dir, stored.Path))
		if kept := i >= len(last)-2; kept != (err == nil) {
			t.Errorf("render %d: want kept %v, got %v", i, kept, err)
		}
	}
	if err := s.Drop(secret); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "r", secret)); !os.IsNotExist(err) {
		t.Errorf("want the folder of the application gone, got %v", err)
	}
}

func TestPutRefusesAGuessableName(t *testing.T) {
	s, _ := open(t)
	for _, name := range []string{"", "users-api", "../x", strings.ToUpper(secret)} {
		if _, err := s.Put(name, []byte("a: b\n")); err == nil {
			t.Errorf("%q must be refused", name)
		}
	}
}
