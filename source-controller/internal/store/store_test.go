// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/artifact/config"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var owner = &metav1.ObjectMeta{Namespace: "apps", Name: "prod"}

func open(t *testing.T, change func(*config.Options)) *Store {
	t.Helper()
	options := config.Options{
		StoragePath:              filepath.Join(t.TempDir(), "data"),
		StorageAddress:           "127.0.0.1:0",
		ArtifactRetentionTTL:     time.Minute,
		ArtifactRetentionRecords: 2,
		ArtifactDigestAlgo:       "sha256",
	}
	if change != nil {
		change(&options)
	}
	s, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *Store, file, content string) meta.Artifact {
	t.Helper()
	artifact, err := s.Put(s.New("GitRepository", owner, "main@sha1:"+file, file+".tar.gz"), func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return artifact
}

func TestPut(t *testing.T) {
	s := open(t, func(o *config.Options) { o.StorageAdvAddress = "source.example:80" })
	got := put(t, s, "abc", "hello")
	if got.Path != "gitrepository/apps/prod/abc.tar.gz" ||
		got.URL != "http://source.example:80/gitrepository/apps/prod/abc.tar.gz" ||
		got.Digest != "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" ||
		got.Size == nil || *got.Size != 5 || got.LastUpdateTime.IsZero() {
		t.Errorf("not what status records: %+v", got)
	}
	failure := errors.New("tree is damaged")
	_, err := s.Put(s.New("GitRepository", owner, "r", "def.tar.gz"), func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<16))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want the writer's own error", err)
	}
	files, _ := filepath.Glob(filepath.Join(s.files.BasePath, "gitrepository/apps/prod/*.tar.gz*"))
	for _, file := range files {
		if strings.Contains(file, "def") && !strings.HasSuffix(file, ".lock") {
			t.Errorf("a failed write left %s", file)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := map[string]struct {
		reason string
		damage func(path string) error
		later  time.Duration
		want   State
	}{
		"whole":           {"nothing happened", func(string) error { return nil }, 0, Present},
		"gone":            {"an emptied volume", os.Remove, 0, Missing},
		"other bytes":     {"the digest no longer holds", func(path string) error { return os.WriteFile(path, []byte("HELLO"), 0o600) }, 0, Damaged},
		"link":            {"what a link leads to is not ours", func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path)) }, 0, Missing},
		"silent change":   {"same size and time: found when trust runs out", silently, rehashAfter, Damaged},
		"silent, trusted": {"a file is not read again at every pass", silently, rehashAfter - time.Second, Present},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := open(t, nil)
			artifact := put(t, s, "abc", "hello")
			now := artifact.LastUpdateTime.Time
			if state, err := s.Check(artifact, now); state != Present || err != nil {
				t.Fatalf("right after storing: %s, %v", state, err)
			}
			if err := tc.damage(s.files.LocalPath(artifact)); err != nil {
				t.Fatal(err)
			}
			state, err := s.Check(artifact, now.Add(tc.later))
			if state != tc.want || (err != nil) != (tc.want == Damaged) {
				t.Errorf("%s: got %s, %v; want %s", tc.reason, state, err, tc.want)
			}
		})
	}
}

// silently changes the bytes and nothing that a stat shows.
func silently(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte("J"), 0)
	return errors.Join(err, file.Close(), os.Chtimes(path, info.ModTime(), info.ModTime()))
}

func TestCollectAndForget(t *testing.T) {
	s := open(t, nil)
	old := put(t, s, "one", "1")
	before := put(t, s, "two", "2")
	current := put(t, s, "three", "3")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.files.LocalPath(old), past, past); err != nil {
		t.Fatal(err)
	}
	removed, err := s.Collect(t.Context(), current)
	if err != nil || removed != 1 {
		t.Fatalf("got %d removed, %v; want the one past its time", removed, err)
	}
	for artifact, want := range map[string]State{old.Path: Missing, before.Path: Present, current.Path: Present} {
		for _, a := range []meta.Artifact{old, before, current} {
			if a.Path != artifact {
				continue
			}
			if got, _ := s.Check(a, time.Now()); got != want {
				t.Errorf("%s: got %s, want %s", artifact, got, want)
			}
		}
	}
	if found, err := s.Forget("GitRepository", owner); !found || err != nil {
		t.Errorf("got %v, %v; want the folder removed", found, err)
	}
	if found, err := s.Forget("GitRepository", owner); found || err != nil {
		t.Errorf("got %v, %v; a second time there is nothing", found, err)
	}
	if removed, err := s.Collect(t.Context(), current); removed != 0 || err != nil {
		t.Errorf("got %d, %v; no folder is no failure", removed, err)
	}
}
