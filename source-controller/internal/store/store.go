// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/artifact/config"
	"github.com/fluxcd/pkg/artifact/digest"
	"github.com/fluxcd/pkg/artifact/storage"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// Kinds of failure of Put; a failure of the given writer is none of them.
var (
	ErrFolder = errors.New("cannot create the folder of the artifact")
	ErrLock   = errors.New("cannot lock the artifact")
)

const (
	artifactMode = 0o600
	collectFor   = 5 * time.Second
	// rehashAfter bounds how long an unchanged file is taken on trust: reading
	// every artifact at every interval costs more than the rest of an idle pass.
	rehashAfter = time.Hour
)

// State is what became of a stored artifact.
type State string

// States.
const (
	Present State = "Present"
	Missing State = "Missing"
	Damaged State = "Damaged"
)

// Store is one storage folder.
type Store struct {
	files   *storage.Storage
	options config.Options

	mu    sync.Mutex
	known map[string]proof // by the folder of an object
}

// proof says when which file had which digest.
type proof struct {
	path   string
	digest string
	info   fs.FileInfo
	at     time.Time
}

// Open prepares the storage folder. The digest algorithm is process-wide, as
// the library has it.
func Open(options config.Options) (*Store, error) {
	algorithm, err := digest.AlgorithmForName(options.ArtifactDigestAlgo)
	if err != nil {
		return nil, fmt.Errorf("invalid --artifact-digest-algo: %w", err)
	}
	digest.Canonical = algorithm
	if err := os.MkdirAll(options.StoragePath, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the folder of --storage-path: %w", err)
	}
	files, err := storage.New(&options)
	if err != nil {
		return nil, err
	}
	return &Store{files: files, options: options, known: map[string]proof{}}, nil
}

// Check tells whether an artifact's bytes are there and have its digest. The
// error explains Damaged.
func (s *Store) Check(artifact meta.Artifact, now time.Time) (State, error) {
	info, err := os.Lstat(s.files.LocalPath(artifact))
	if err != nil || !info.Mode().IsRegular() {
		return Missing, nil
	}
	if s.trusts(artifact, info, now) {
		return Present, nil
	}
	if err := s.files.VerifyArtifact(artifact); err != nil {
		return Damaged, err
	}
	s.trust(artifact, info, now)
	return Present, nil
}

func (s *Store) trusts(artifact meta.Artifact, info fs.FileInfo, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, found := s.known[path.Dir(artifact.Path)]
	return found && p.path == artifact.Path && p.digest == artifact.Digest &&
		os.SameFile(p.info, info) && p.info.Size() == info.Size() && p.info.ModTime().Equal(info.ModTime()) &&
		now.Sub(p.at) < rehashAfter
}

func (s *Store) trust(artifact meta.Artifact, info fs.FileInfo, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[path.Dir(artifact.Path)] = proof{path: artifact.Path, digest: artifact.Digest, info: info, at: now}
}

// Drop removes a damaged artifact, so that nobody downloads it.
func (s *Store) Drop(artifact meta.Artifact) error {
	return s.files.Remove(artifact)
}

// SetURL rewrites the address of an artifact for where this process is reached.
func (s *Store) SetURL(artifact *meta.Artifact) { s.files.SetArtifactURL(artifact) }

// latestName is the link to an object's current artifact.
const latestName = "latest.tar.gz"

// LinkLatest lets a fixed name in the folder of an artifact lead to it, and gives
// the address of that name.
func (s *Store) LinkLatest(artifact meta.Artifact) (string, error) {
	if _, err := s.files.Symlink(artifact, latestName); err != nil {
		return "", err
	}
	return s.LatestURL(artifact), nil
}

// LatestURL is the address of the link for where this process is reached.
func (s *Store) LatestURL(artifact meta.Artifact) string {
	link := meta.Artifact{Path: path.Join(path.Dir(artifact.Path), latestName)}
	s.files.SetArtifactURL(&link)
	return link.URL
}

// Put stores what write writes as an object's artifact. A writer that fails
// leaves nothing behind.
func (s *Store) Put(artifact meta.Artifact, write func(io.Writer) error) (meta.Artifact, error) {
	if err := s.files.MkdirAll(artifact); err != nil {
		return meta.Artifact{}, fmt.Errorf("%w: %w", ErrFolder, err)
	}
	unlock, err := s.files.Lock(artifact)
	if err != nil {
		return meta.Artifact{}, fmt.Errorf("%w: %w", ErrLock, err)
	}
	defer unlock()
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(write(writer)) }()
	err = s.files.AtomicWriteFile(&artifact, reader, artifactMode)
	// Ends a writer that nobody reads any more; without effect after success.
	reader.CloseWithError(errors.New("the artifact could not be stored"))
	if err != nil {
		return meta.Artifact{}, err
	}
	// What was hashed while it was written need not be hashed again.
	if info, err := os.Lstat(s.files.LocalPath(artifact)); err == nil {
		s.trust(artifact, info, artifact.LastUpdateTime.Time)
	}
	return artifact, nil
}

// Donor opens a stored artifact for what a new one can take over from it. Without
// one there is nothing to take over, which is no failure.
func (s *Store) Donor(artifact *meta.Artifact) (*archive.Donor, func()) {
	if artifact == nil {
		return nil, func() {}
	}
	file, err := os.Open(s.files.LocalPath(*artifact))
	if err != nil {
		return nil, func() {}
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close() // it was only read
		return nil, func() {}
	}
	return archive.NewDonor(file, info.Size()), func() { _ = file.Close() }
}

// Read opens the bytes of an artifact, whoever it belongs to, once they are known
// to be the ones that its digest names.
func (s *Store) Read(artifact meta.Artifact, now time.Time) (io.ReadCloser, error) {
	if state, err := s.Check(artifact, now); state != Present {
		return nil, fmt.Errorf("the artifact %s is %s: %w", artifact.Path, strings.ToLower(string(state)), cmp.Or(err, fs.ErrNotExist))
	}
	return os.Open(s.files.LocalPath(artifact))
}

// New names the artifact that an object's content would have.
func (s *Store) New(kind string, object metav1.Object, revision, file string) meta.Artifact {
	return s.files.NewArtifactFor(kind, object, revision, file)
}

// Collect removes an object's old artifacts and tells how many.
func (s *Store) Collect(ctx context.Context, current meta.Artifact) (int, error) {
	folder := filepath.Dir(s.files.LocalPath(current))
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	removed, err := s.files.GarbageCollect(ctx, current, collectFor)
	return len(removed), err
}

// Forget removes everything that is stored for an object, and tells whether
// there was something.
func (s *Store) Forget(kind string, object metav1.Object) (bool, error) {
	artifact := s.New(kind, object, "", "*")
	s.mu.Lock()
	delete(s.known, path.Dir(artifact.Path))
	s.mu.Unlock()
	folder, err := s.files.RemoveAll(artifact)
	return folder != "", err
}
