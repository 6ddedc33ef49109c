// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/fluxcd/pkg/http/fetch"
)

// Options of a Store. Limits that are left out have defaults.
type Options struct {
	// Dir belongs to this store alone: what it finds there is removed.
	Dir string
	// MaxArchive and MaxUnpacked bound one artifact, in bytes.
	MaxArchive  int64
	MaxUnpacked int64
	// MaxFiles bounds the entries of one artifact.
	MaxFiles int64
	// IdleTrees and IdleBytes bound what is kept that nobody uses.
	IdleTrees int64
	IdleBytes int64
	// Host replaces the host of every URL, for programs outside of the cluster.
	Host string
}

// defaults are larger than what Flux stores by default.
var defaults = Options{
	MaxArchive: 128 << 20, MaxUnpacked: 512 << 20, MaxFiles: 100_000, IdleTrees: 16, IdleBytes: 1 << 30,
}

func (o Options) orDefault() Options {
	for _, limit := range []struct{ value, fallback *int64 }{
		{&o.MaxArchive, &defaults.MaxArchive}, {&o.MaxUnpacked, &defaults.MaxUnpacked},
		{&o.MaxFiles, &defaults.MaxFiles}, {&o.IdleTrees, &defaults.IdleTrees}, {&o.IdleBytes, &defaults.IdleBytes},
	} {
		if *limit.value <= 0 {
			*limit.value = *limit.fallback
		}
	}
	return o
}

// Store holds unpacked artifacts by digest.
type Store struct {
	options Options
	fetcher *fetch.ArchiveFetcher

	mu      sync.Mutex
	entries map[string]*entry
	uses    uint64 // a clock that counts releases
}

// entry is one unpacked artifact. It is filled by the first that opens it;
// ready is closed when that is done, and from then on only users, usedAt
// change, under the lock of the store.
type entry struct {
	digest string
	ready  chan struct{}
	err    error

	dir   string
	root  *os.Root
	links []string
	bytes int64

	users  int
	usedAt uint64
}

// New makes a store in a folder of its own with archives up to a size, and
// defaults for the rest.
func New(dir string, maxArchive int64) (*Store, error) {
	return Options{Dir: dir, MaxArchive: maxArchive}.Store()
}

// Store makes a store in an emptied folder: what an earlier process left there
// may not be whole.
func (o Options) Store() (*Store, error) {
	o = o.orDefault()
	if err := os.RemoveAll(o.Dir); err != nil {
		return nil, fmt.Errorf("emptying the folder of artifacts: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of artifacts: %w", err)
	}
	return &Store{
		options: o,
		entries: map[string]*entry{},
		fetcher: fetch.New(
			fetch.WithMaxDownloadSize(int(o.MaxArchive)),
			fetch.WithHostnameOverwrite(o.Host),
			fetch.WithFileName(archiveName),
		),
	}, nil
}

// Open gives the artifact, unpacked. Only one caller downloads a digest; the
// others wait for it.
func (s *Store) Open(ctx context.Context, ref Ref) (*Tree, error) {
	if ref.URL == "" || ref.Digest == "" {
		return nil, failed(ref, ErrDigest, "the source names no URL or no digest")
	}
	for {
		e, first := s.claim(ref.Digest)
		if first {
			e.err = s.fill(ctx, e, ref)
			if e.err != nil {
				s.forget(e)
			}
			close(e.ready)
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			s.release(e)
			return nil, interrupted(ref, ctx.Err())
		}
		if e.err == nil {
			return &Tree{ref: ref, entry: e, store: s}, nil
		}
		s.release(e)
		// The one that downloaded may have given up for reasons of its own.
		if first || ctx.Err() != nil || !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) {
			return nil, e.err
		}
	}
}

// claim counts the caller as a user; first says that it has to fill the entry.
func (s *Store) claim(digest string) (e *entry, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, known := s.entries[digest]; known {
		e.users++
		return e, false
	}
	e = &entry{digest: digest, ready: make(chan struct{}), users: 1}
	s.entries[digest] = e
	return e, true
}

// forget lets the next caller try again.
func (s *Store) forget(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[e.digest] == e {
		delete(s.entries, e.digest)
	}
}

func (s *Store) release(e *entry) {
	s.mu.Lock()
	e.users--
	s.uses++
	e.usedAt = s.uses
	surplus := s.surplus()
	s.mu.Unlock()
	for _, old := range surplus {
		old.remove()
	}
}

// surplus takes entries out of the map that nobody uses and that are beyond
// the limits, the longest unused first.
func (s *Store) surplus() []*entry {
	var idle, bytes int64
	for _, e := range s.entries {
		if e.users == 0 {
			idle++
			bytes += e.bytes
		}
	}
	var taken []*entry
	for idle > s.options.IdleTrees || bytes > s.options.IdleBytes {
		oldest := s.oldestIdle()
		delete(s.entries, oldest.digest)
		taken = append(taken, oldest)
		idle--
		bytes -= oldest.bytes
	}
	return taken
}

func (s *Store) oldestIdle() *entry {
	var oldest *entry
	for _, e := range s.entries {
		if e.users == 0 && (oldest == nil || e.usedAt < oldest.usedAt) {
			oldest = e
		}
	}
	return oldest
}

func (e *entry) remove() {
	if e.root != nil {
		_ = e.root.Close()
	}
	if e.dir != "" {
		_ = os.RemoveAll(e.dir) // what stays is removed at the next start
	}
}

// Close removes everything. Trees that are still in use end with it.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for digest, e := range s.entries {
		delete(s.entries, digest)
		select {
		case <-e.ready:
			e.remove()
		default: // its download fails, for want of a folder
		}
	}
	return os.RemoveAll(filepath.Clean(s.options.Dir))
}
