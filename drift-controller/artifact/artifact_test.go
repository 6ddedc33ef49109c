// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package artifact_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/artifact"
)

// archive packs entries; one that begins with an arrow is a link.
func archive(t *testing.T, entries map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for name, content := range entries {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if target, isLink := strings.CutPrefix(content, "-> "); isLink {
			header = &tar.Header{Name: name, Mode: 0o777, Linkname: target, Typeflag: tar.TypeSymlink}
			content = ""
		}
		if err := packed.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := packed.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(packed.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// server serves contents by path and counts requests.
func server(t *testing.T, contents map[string][]byte) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		content, found := contents[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case r.URL.Path == "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case !found:
			http.NotFound(w, r)
		default:
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/", requests
}

func store(t *testing.T, options artifact.Options) *artifact.Store {
	t.Helper()
	options.Dir = t.TempDir() + "/artifacts"
	s, err := options.Store()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOpen(t *testing.T) {
	content := archive(t, map[string]string{"app/a.yaml": "a", "b.yaml": "b", "out": "-> /etc/passwd", "app/up": "-> ../b.yaml"})
	url, _ := server(t, map[string][]byte{"x.tar.gz": content})
	tree, err := store(t, artifact.Options{}).Open(context.Background(), artifact.Ref{URL: url + "x.tar.gz", Digest: digest(content), Revision: "main@sha1:9f4c"})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var got []string
	if err := fs.WalkDir(tree.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		got = append(got, name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".", "app", "app/a.yaml", "b.yaml"}, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if len(tree.Links()) != 2 {
		t.Errorf("links are not unpacked, and named: got %q", tree.Links())
	}
	for _, name := range []string{"../x", "/etc/passwd", "app/../../x"} {
		if _, err := fs.ReadFile(tree.FS(), name); err == nil {
			t.Errorf("%s must not be readable", name)
		}
	}
}

func TestOpenFails(t *testing.T) {
	good := archive(t, map[string]string{"a.yaml": "a", "b.yaml": strings.Repeat("b", 4096)})
	contents := map[string][]byte{
		"good": good, "text": []byte("hello"), "escape": archive(t, map[string]string{"../a": "a"}),
	}
	url, _ := server(t, contents)
	cases := map[string]struct {
		reason  string
		ref     artifact.Ref
		options artifact.Options
		kind    error
	}{
		"Gone":        {"the store has moved on", artifact.Ref{URL: url + "gone", Digest: digest(good)}, artifact.Options{}, artifact.ErrNotFound},
		"Broken":      {"the server fails", artifact.Ref{URL: url + "broken", Digest: digest(good)}, artifact.Options{}, artifact.ErrUnreachable},
		"NoServer":    {"nobody answers", artifact.Ref{URL: "http://127.0.0.1:1/x", Digest: digest(good)}, artifact.Options{}, artifact.ErrUnreachable},
		"OtherBytes":  {"the bytes are others than status says", artifact.Ref{URL: url + "good", Digest: digest([]byte("x"))}, artifact.Options{}, artifact.ErrDigest},
		"NoDigest":    {"nothing can be verified", artifact.Ref{URL: url + "good"}, artifact.Options{}, artifact.ErrDigest},
		"BadDigest":   {"a digest that is none", artifact.Ref{URL: url + "good", Digest: "sha256:xyz"}, artifact.Options{}, artifact.ErrDigest},
		"NoArchive":   {"bytes that are no archive", artifact.Ref{URL: url + "text", Digest: digest(contents["text"])}, artifact.Options{}, artifact.ErrArchive},
		"Escape":      {"names that lead out", artifact.Ref{URL: url + "escape", Digest: digest(contents["escape"])}, artifact.Options{}, artifact.ErrArchive},
		"StatedLarge": {"too large by what status says", artifact.Ref{URL: url + "gone", Digest: digest(good), Size: 1 << 40}, artifact.Options{}, artifact.ErrTooLarge},
		"Large":       {"too large as it comes", artifact.Ref{URL: url + "good", Digest: digest(good)}, artifact.Options{MaxArchive: 16}, artifact.ErrTooLarge},
		"LargeInside": {"too large once unpacked", artifact.Ref{URL: url + "good", Digest: digest(good)}, artifact.Options{MaxUnpacked: 1024}, artifact.ErrTooLarge},
		"ManyFiles":   {"too many files", artifact.Ref{URL: url + "good", Digest: digest(good)}, artifact.Options{MaxFiles: 1}, artifact.ErrTooLarge},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := store(t, tc.options)
			for attempt := range 2 { // a failure is not remembered
				_, err := s.Open(context.Background(), tc.ref)
				if !errors.Is(err, tc.kind) {
					t.Fatalf("%s (attempt %d): want %v, got %v", tc.reason, attempt, tc.kind, err)
				}
				if h := halt.Of(err, ""); h.Kind != halt.Retry || h.Reason != contract.ArtifactFailedReason {
					t.Errorf("want a retry as ArtifactFailed, got %s %s", h.Kind, h.Reason)
				}
			}
		})
	}
}

func TestOpenSharesOneDownload(t *testing.T) {
	content := archive(t, map[string]string{"a.yaml": "a"})
	url, requests := server(t, map[string][]byte{"x": content})
	s := store(t, artifact.Options{})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			tree, err := s.Open(context.Background(), artifact.Ref{URL: url + "x", Digest: digest(content)})
			if err != nil {
				t.Error(err)
				return
			}
			defer tree.Close()
			if _, err := fs.ReadFile(tree.FS(), "a.yaml"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := requests.Load(); got != 1 {
		t.Errorf("want one download for all, got %d", got)
	}
}

func TestGivingUpIsNotForOthers(t *testing.T) {
	content := archive(t, map[string]string{"a.yaml": "a"})
	asked, answer := make(chan struct{}, 2), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-answer
		_, _ = w.Write(content)
	}))
	defer slow.Close()
	s := store(t, artifact.Options{})
	ref := artifact.Ref{URL: slow.URL, Digest: digest(content)}
	hasty, giveUp := context.WithCancel(context.Background())
	first, second := make(chan error, 1), make(chan error, 1)
	open := func(ctx context.Context, done chan error) {
		tree, err := s.Open(ctx, ref)
		if err == nil {
			tree.Close()
		}
		done <- err
	}
	go open(hasty, first)
	<-asked
	go open(context.Background(), second)
	giveUp()
	if err := <-first; !errors.Is(err, artifact.ErrUnreachable) || !errors.Is(err, context.Canceled) {
		t.Errorf("want the one that gave up to be told so, got %v", err)
	}
	close(answer)
	if err := <-second; err != nil {
		t.Errorf("want the other to get the artifact, got %v", err)
	}
}

func TestIdleTreesAreBounded(t *testing.T) {
	contents := map[string][]byte{}
	for _, name := range []string{"a", "b", "c"} {
		contents[name] = archive(t, map[string]string{name + ".yaml": name})
	}
	url, requests := server(t, contents)
	s := store(t, artifact.Options{IdleTrees: 1})
	open := func(name string) *artifact.Tree {
		tree, err := s.Open(context.Background(), artifact.Ref{URL: url + name, Digest: digest(contents[name])})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	used := open("a")
	open("b").Close()
	open("c").Close()
	if _, err := fs.ReadFile(used.FS(), "a.yaml"); err != nil {
		t.Errorf("what is in use is kept: %v", err)
	}
	open("c").Close()
	if got := requests.Load(); got != 3 {
		t.Errorf("the last idle one is kept: want 3 downloads, got %d", got)
	}
	open("b").Close()
	if got := requests.Load(); got != 4 {
		t.Errorf("the one before is gone: want 4 downloads, got %d", got)
	}
	used.Close()
	used.Close() // twice is no harm
	open("a").Close()
	if got := requests.Load(); got != 4 {
		t.Errorf("want no further download, got %d", got)
	}
}

func TestNewEmptiesItsFolder(t *testing.T) {
	dir := t.TempDir() + "/artifacts"
	if err := os.MkdirAll(dir+"/left-over", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := artifact.New(dir, 0); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("want an empty folder, got %v %v", entries, err)
	}
}

func TestPathDigest(t *testing.T) {
	base := map[string]string{"app/a.yaml": "a", "base/b.yaml": "b", "other/c.yaml": "c"}
	of := func(change map[string]string, extra ...string) string {
		files := map[string]string{}
		for name, content := range base {
			files[name] = content
		}
		for name, content := range change {
			files[name] = content
		}
		content := archive(t, files)
		url, _ := server(t, map[string][]byte{"x": content})
		tree, err := store(t, artifact.Options{}).Open(context.Background(), artifact.Ref{URL: url + "x", Digest: digest(content)})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		sum, err := tree.PathDigest("app", extra...)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	same, changed := of(nil), map[string]struct {
		change map[string]string
		extra  []string
	}{
		"Content": {map[string]string{"app/a.yaml": "A"}, nil},
		"NewFile": {map[string]string{"app/z.yaml": ""}, nil},
		"Extra":   {nil, []string{"base"}},
		"Absent":  {nil, []string{"gone"}},
	}
	if got := of(map[string]string{"other/c.yaml": "C", "base/b.yaml": "B"}); got != same {
		t.Error("a change elsewhere must not count")
	}
	for name, tc := range changed {
		if of(tc.change, tc.extra...) == same {
			t.Errorf("%s must count", name)
		}
	}
	if of(nil, "base") == of(map[string]string{"base/b.yaml": "B"}, "base") {
		t.Error("a change of an extra path must count")
	}
}
