// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxcd/pkg/http/fetch"
	"github.com/fluxcd/pkg/tar"
)

const (
	archiveName = "archive.tar.gz"
	// verifyFailed begins the fetcher's message about a wrong digest, for
	// which it has no error of its own. A test holds it to that.
	verifyFailed = "failed to verify archive"
)

// fill downloads, verifies and unpacks.
func (s *Store) fill(ctx context.Context, e *entry, ref Ref) (err error) {
	if ref.Size > s.options.MaxArchive {
		return failed(ref, ErrTooLarge, fmt.Sprintf("%d bytes, more than the limit of %d", ref.Size, s.options.MaxArchive))
	}
	dir, err := os.MkdirTemp(s.options.Dir, "artifact-")
	if err != nil {
		return failed(ref, ErrLocal, localFault(err))
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	if err := s.download(ctx, ref, dir); err != nil {
		return err
	}
	content := filepath.Join(dir, "content")
	if err := os.Mkdir(content, 0o700); err != nil {
		return failed(ref, ErrLocal, localFault(err))
	}
	unpacked := &unpack{ctx: ctx, maxFiles: s.options.MaxFiles}
	archive := filepath.Join(dir, archiveName)
	if err := unpacked.run(archive, content, s.options.MaxUnpacked); err != nil {
		return failedUnpack(ctx, ref, unpacked, err)
	}
	if err := os.Remove(archive); err != nil {
		return failed(ref, ErrLocal, localFault(err))
	}
	if e.root, err = os.OpenRoot(content); err != nil {
		return failed(ref, ErrLocal, localFault(err))
	}
	e.dir, e.links, e.bytes = dir, unpacked.links, unpacked.bytes
	return nil
}

func (s *Store) download(ctx context.Context, ref Ref, dir string) error {
	err := s.fetcher.FetchWithContext(ctx, ref.URL, ref.Digest, dir)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return interrupted(ref, ctx.Err())
	case errors.Is(err, fetch.ErrFileNotFound):
		return failed(ref, ErrNotFound, "the source names a new one soon")
	case strings.HasPrefix(err.Error(), verifyFailed):
		return failed(ref, ErrDigest, "expected "+ref.Digest)
	}
	if info, statErr := os.Stat(filepath.Join(dir, archiveName)); statErr == nil && info.Size() >= s.options.MaxArchive {
		return failed(ref, ErrTooLarge, fmt.Sprintf("more than the limit of %d bytes", s.options.MaxArchive))
	}
	return failed(ref, ErrUnreachable, cause(err))
}

// unpack reads an archive within limits.
type unpack struct {
	ctx      context.Context
	maxFiles int64

	archive io.Reader
	files   int64
	bytes   int64
	links   []string
}

var errTooMany = errors.New("too many entries")

// Read ends the archive as soon as a limit is reached: otherwise one made of
// empty entries would be read to its end.
func (u *unpack) Read(buffer []byte) (int, error) {
	if u.files > u.maxFiles {
		return 0, errTooMany
	}
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.archive.Read(buffer)
}

func (u *unpack) run(archive, content string, maxBytes int64) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	u.archive = file
	err = tar.Untar(u, content,
		tar.WithMaxUntarSize(int(maxBytes)), tar.WithSkipSymlinks(), tar.WithFilter(u.leaveOut))
	if u.files > u.maxFiles {
		return errTooMany
	}
	return err
}

// leaveOut counts entries, and notes links, which are skipped.
func (u *unpack) leaveOut(name string, info fs.FileInfo) bool {
	u.files++
	u.bytes += info.Size()
	if info.Mode()&fs.ModeSymlink != 0 {
		u.links = append(u.links, name)
	}
	return u.files > u.maxFiles
}

func failedUnpack(ctx context.Context, ref Ref, u *unpack, err error) error {
	switch {
	case ctx.Err() != nil:
		return interrupted(ref, ctx.Err())
	case errors.Is(err, errTooMany):
		return failed(ref, ErrTooLarge, fmt.Sprintf("more than the limit of %d files", u.maxFiles))
	case strings.Contains(err.Error(), "bigger than max archive size"):
		return failed(ref, ErrTooLarge, "unpacked it is larger than the limit")
	}
	var local *fs.PathError
	if errors.As(err, &local) {
		return failed(ref, ErrLocal, localFault(err))
	}
	return failed(ref, ErrArchive, cause(err))
}

// localFault leaves out paths of this machine.
func localFault(err error) string {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Op + ": " + fault.Err.Error()
	}
	return cause(err)
}

// cause is the innermost error.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
