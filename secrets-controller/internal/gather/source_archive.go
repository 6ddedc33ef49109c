// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/fluxcd/pkg/http/fetch"
	"github.com/fluxcd/pkg/tar"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// Bounds of what is looked at in a source artifact.
const (
	mostUnpacked = 1 << 30 // of the whole stream, most of which is skipped
	mostEntries  = 200_000
	mostText     = 32 << 20 // below the path of one Application
	mostArchives = 2        // that are kept for the next Application
)

// noRoom and the like are causes in words of our own: texts of the system name
// paths of this machine.
const noRoom = "there is no room to unpack it"

// SourceError says why the files in Git could not be looked at. It never
// repeats the URL.
type SourceError struct {
	Digest string
	Cause  string
}

func (e *SourceError) Error() string {
	return fmt.Sprintf("the source artifact %s cannot be read: %s", e.Digest, e.Cause)
}

// archiveFile is a verified archive that has no name any more: it is gone with
// the process, however that ends.
type archiveFile struct {
	digest string
	file   *os.File
}

// failedArchive keeps every other Application from waiting for the same server.
type failedArchive struct {
	digest string
	cause  error
	at     time.Time
}

// archive gives a verified archive, from its start. The caller holds the lock.
func (s *Sources) archive(ctx context.Context, url, digest string) (io.Reader, error) {
	if url == "" || digest == "" {
		return nil, &SourceError{Digest: digest, Cause: "the drift-controller has not said yet where it is"}
	}
	for _, kept := range s.archives {
		if kept.digest == digest {
			return io.NewSectionReader(kept.file, 0, math.MaxInt64), nil
		}
	}
	if s.failed.digest == digest && s.now().Sub(s.failed.at) < retryUnread {
		return nil, s.failed.cause
	}
	file, err := download(ctx, url, digest)
	if err != nil {
		s.failed = failedArchive{digest: digest, cause: err, at: s.now()}
		return nil, err
	}
	s.archives = append([]archiveFile{{digest: digest, file: file}}, s.archives...)
	if len(s.archives) > mostArchives {
		_ = s.archives[mostArchives].file.Close()
		s.archives = s.archives[:mostArchives]
	}
	return io.NewSectionReader(file, 0, math.MaxInt64), nil
}

func download(ctx context.Context, url, digest string) (*os.File, error) {
	dir, err := os.MkdirTemp("", "source-archive-")
	if err != nil {
		return nil, &SourceError{Digest: digest, Cause: noRoom}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	const name = "archive.tar.gz"
	fetcher := fetch.New(fetch.WithRetries(0), fetch.WithMaxDownloadSize(maxArtifact), fetch.WithFileName(name))
	if err := fetcher.FetchWithContext(ctx, url, digest, dir); err != nil {
		return nil, &SourceError{Digest: digest, Cause: causeOf(ctx, err)}
	}
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, &SourceError{Digest: digest, Cause: noRoom}
	}
	return file, nil
}

// selection unpacks what is looked at for one Application, within bounds.
type selection struct {
	ctx     context.Context
	archive io.Reader
	path    string
	entries int
	text    int64
	fault   string
}

// Read ends the archive as soon as a bound is reached.
func (s *selection) Read(buffer []byte) (int, error) {
	if s.fault != "" {
		return 0, io.ErrUnexpectedEOF
	}
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.archive.Read(buffer)
}

// leaveOut says which entry is not unpacked.
func (s *selection) leaveOut(name string, info fs.FileInfo) bool {
	name = path.Clean(name)
	s.entries++
	switch {
	case s.entries > mostEntries:
		s.fault = fmt.Sprintf("it has more than %d files", mostEntries)
	case !fs.ValidPath(name):
		s.fault = "it is no valid archive: a name leads out of it"
	}
	if s.fault != "" || info.IsDir() || !declaration.IsText(name) || !s.wants(name) {
		return true
	}
	if s.text += info.Size(); s.text > mostText {
		s.fault = fmt.Sprintf("more than %d MiB of text are below the path", mostText>>20)
	}
	return s.fault != ""
}

// wants what is below the path, and the rules of SOPS above it.
func (s *selection) wants(name string) bool {
	if below(name, s.path) {
		return true
	}
	return path.Base(name) == ".sops.yaml" && below(s.path, path.Dir(name))
}

func below(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

func unpackSource(ctx context.Context, archive io.Reader, dir string, key sourceKey) error {
	if !fs.ValidPath(key.path) {
		return &SourceError{Digest: key.digest, Cause: "the Application's path leads out of it"}
	}
	s := &selection{ctx: ctx, archive: archive, path: key.path}
	err := tar.Untar(s, dir, tar.WithMaxUntarSize(mostUnpacked), tar.WithSkipSymlinks(), tar.WithFilter(s.leaveOut))
	switch {
	case s.fault != "":
		return &SourceError{Digest: key.digest, Cause: s.fault}
	case err != nil:
		return &SourceError{Digest: key.digest, Cause: unreadable(ctx)}
	}
	return nil
}

// unreadable is the cause where the archive was there and could not be read to
// its end.
func unreadable(ctx context.Context) string {
	if ctx.Err() != nil {
		return fmt.Sprintf("it was not read within %s", fetchTimeout)
	}
	return "it is no valid archive, is larger than can be unpacked, or has a file that cannot be read"
}
