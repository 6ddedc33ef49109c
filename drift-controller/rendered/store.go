// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// FileName is the one file in a rendered artifact.
const FileName = "manifests.yaml"

// Store keeps rendered artifacts as files that are named by their digest.
type Store struct{ root *os.Root }

// NewStore opens or makes the folder.
func NewStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making %s: %w", dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, err)
	}
	return &Store{root: root}, nil
}

// Artifact is a stored render: the path below the server's root, and the
// digest of the bytes there.
type Artifact struct{ Path, Digest string }

// Put packs and stores manifests. secret makes the path of the application
// impossible to guess; the last two artifacts below it are kept, so that a
// reader of the status before this one still finds its bytes.
func (s *Store) Put(secret string, manifests []byte) (Artifact, error) {
	if !unguessable.MatchString(secret) {
		return Artifact{}, errors.New("the folder of a rendered artifact needs a name of 32 hexadecimal digits, or it would not be served")
	}
	packed, err := pack(manifests)
	if err != nil {
		return Artifact{}, fmt.Errorf("packing manifests: %w", err)
	}
	sum := sha256.Sum256(packed)
	digest := hex.EncodeToString(sum[:])
	folder := filepath.Join("r", secret)
	a := Artifact{Path: filepath.ToSlash(filepath.Join(folder, digest+".tar.gz")), Digest: "sha256:" + digest}
	if _, err := s.root.Stat(a.Path); err == nil {
		return a, nil
	}
	if err := s.root.MkdirAll(folder, 0o700); err != nil {
		return Artifact{}, fmt.Errorf("storing manifests: %w", err)
	}
	partial := a.Path + ".partial"
	if err := s.root.WriteFile(partial, packed, 0o600); err != nil {
		return Artifact{}, fmt.Errorf("storing manifests: %w", err)
	}
	if err := s.root.Rename(partial, a.Path); err != nil {
		return Artifact{}, fmt.Errorf("storing manifests: %w", err)
	}
	return a, s.trim(folder)
}

// trim keeps the two newest artifacts of a folder.
func (s *Store) trim(folder string) error {
	const kept = 2
	dir, err := s.root.Open(folder)
	if err != nil {
		return fmt.Errorf("listing %s: %w", folder, err)
	}
	defer dir.Close()
	files, err := dir.Readdir(-1)
	if err != nil {
		return fmt.Errorf("listing %s: %w", folder, err)
	}
	for _, f := range files {
		newer := 0
		for _, other := range files {
			if other.ModTime().After(f.ModTime()) {
				newer++
			}
		}
		if newer >= kept {
			if err := s.root.Remove(filepath.Join(folder, f.Name())); err != nil {
				return fmt.Errorf("removing an old render: %w", err)
			}
		}
	}
	return nil
}

// Drop removes everything of an application.
func (s *Store) Drop(secret string) error { return s.root.RemoveAll(filepath.Join("r", secret)) }

// pack makes the same bytes of the same manifests: no times, no names of hosts.
func pack(manifests []byte) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	header := &tar.Header{Name: FileName, Mode: 0o600, Size: int64(len(manifests)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if err := archive.WriteHeader(header); err != nil {
		return nil, err
	}
	if _, err := archive.Write(manifests); err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// servable is the only form of path that is served: no listing, nothing else.
var (
	unguessable = regexp.MustCompile(`^[0-9a-f]{32}$`)
	servable    = regexp.MustCompile(`^/r/[0-9a-f]{32}/[0-9a-f]{64}\.tar\.gz$`)
)

// ServeHTTP serves stored artifacts.
func (s *Store) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead || !servable.MatchString(req.URL.Path) {
		http.NotFound(w, req)
		return
	}
	file, err := s.root.Open(strings.TrimPrefix(req.URL.Path, "/"))
	if err != nil {
		http.NotFound(w, req)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/gzip")
	w.Header().Set("Cache-Control", "private, immutable")
	http.ServeContent(w, req, "", time.Time{}, file)
}
