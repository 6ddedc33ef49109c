// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package layer

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// ErrFormat is the kind of error for a stream that is no tar, or breaks off.
var ErrFormat = errors.New("the layer is no tar archive")

// maxWindow bounds what one zstd stream can ask us to keep in memory.
const maxWindow = 8 << 20

// bufferBytes is for the stream and for the scratch file.
const bufferBytes = 256 << 10

// Limits bound a layer.
type Limits struct {
	// Bytes is the sum of the files, unpacked; zero: no bound.
	Bytes int64
	// Entries counts everything in the stream; zero: no bound.
	Entries int
}

// Unpack reads the stream to the end of the archive. What follows is not read.
func Unpack(stream io.Reader, scratch *os.File, limits Limits) (*Tree, error) {
	plain, err := decompress(stream)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	u := &unpacker{
		tree:    &Tree{scratch: scratch},
		out:     bufio.NewWriterSize(scratch, bufferBytes),
		limits:  limits,
		buffer:  make([]byte, bufferBytes),
		byPath:  map[string]int{},
		folders: map[string]bool{},
	}
	reader := tar.NewReader(plain)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, explain(err)
		}
		if err := u.take(header, reader); err != nil {
			return nil, err
		}
	}
	if err := u.out.Flush(); err != nil {
		return nil, fmt.Errorf("cannot write the scratch file: %w", err)
	}
	u.finish()
	return u.tree, nil
}

// decompress looks at the first bytes: media types are often wrong about them.
func decompress(stream io.Reader) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(stream, bufferBytes)
	magic, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		plain, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, explain(err)
		}
		return plain, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		plain, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, explain(err)
		}
		return plain.IOReadCloser(), nil
	default:
		return io.NopCloser(buffered), nil
	}
}

// explain tells an archive that is broken from a registry that is. What the
// stream itself says goes through as it is.
func explain(err error) error {
	for _, broken := range []error{
		tar.ErrHeader, tar.ErrFieldTooLong, gzip.ErrHeader, gzip.ErrChecksum, zstd.ErrMagicMismatch, zstd.ErrWindowSizeExceeded,
		io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, broken) {
			return fmt.Errorf("%w (tar, tar+gzip and tar+zstd are read): %w", ErrFormat, err)
		}
	}
	return err
}

// unpacker builds a tree.
type unpacker struct {
	tree    *Tree
	out     *bufio.Writer
	limits  Limits
	buffer  []byte
	entries int
	bytes   int64
	offset  int64
	byPath  map[string]int
	folders map[string]bool // that hold something
}

func (u *unpacker) take(header *tar.Header, content io.Reader) error {
	u.entries++
	if u.limits.Entries > 0 && u.entries > u.limits.Entries {
		return fmt.Errorf("%w: the layer has more than %d entries; leave some out of the artifact", archive.ErrTooLarge, u.limits.Entries)
	}
	name, kept, err := clean(header.Name)
	if err != nil || !kept {
		return err
	}
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeRegA, tar.TypeGNUSparse, tar.TypeCont: //nolint:staticcheck // old archives have TypeRegA
		return u.file(name, header, content)
	case tar.TypeLink:
		return u.link(name, header)
	case tar.TypeDir:
		return u.put(archive.Entry{Path: name, Kind: archive.Folder})
	case tar.TypeSymlink:
		u.tree.links++
		return nil
	case tar.TypeXGlobalHeader:
		return nil
	default:
		return fmt.Errorf("%w: the layer has the entry %q of type %q; files, folders and links are allowed", archive.ErrHostile, header.Name, header.Typeflag)
	}
}

// clean checks a name as Flux does and a little more. Repositories are left out:
// nobody wants one planted where the artifact is unpacked.
func clean(name string) (cleaned string, kept bool, err error) {
	if name == "" || strings.ContainsAny(name, "\\\x00") || strings.HasPrefix(name, "/") {
		return "", false, fmt.Errorf("%w: the layer contains the invalid name %q", archive.ErrHostile, name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", false, fmt.Errorf("%w: the layer contains the invalid name %q", archive.ErrHostile, name)
		}
		if strings.EqualFold(part, ".git") {
			return "", false, nil
		}
	}
	cleaned = path.Clean(name)
	return cleaned, cleaned != ".", nil
}

func (u *unpacker) file(name string, header *tar.Header, content io.Reader) error {
	if err := u.count(header.Size); err != nil {
		return err
	}
	written, err := copyAll(u.out, content, u.buffer)
	if err != nil {
		return err
	}
	entry := archive.Entry{Path: name, Kind: archive.File, Size: written, ID: position(u.offset)}
	if header.Mode&0o111 != 0 {
		entry.Kind = archive.Executable
	}
	u.offset += written
	return u.put(entry)
}

// count looks at a size before its bytes are read: a sparse file can claim
// terabytes in a few of them.
func (u *unpacker) count(size int64) error {
	if size < 0 || (u.limits.Bytes > 0 && size > u.limits.Bytes-u.bytes) {
		return fmt.Errorf("%w: the layer unpacks to more than %d bytes; leave some out of the artifact", archive.ErrTooLarge, u.limits.Bytes)
	}
	u.bytes += size
	return nil
}

// link gives a hard link the bytes of what it leads to, which must have come
// before.
func (u *unpacker) link(name string, header *tar.Header) error {
	target, kept, err := clean(header.Linkname)
	if err != nil {
		return err
	}
	i, found := u.byPath[target]
	if !kept || !found || u.tree.entries[i].Kind == archive.Folder {
		return fmt.Errorf("%w: the layer has the hard link %q to %q, which is no file before it", archive.ErrHostile, header.Name, header.Linkname)
	}
	entry := u.tree.entries[i]
	if err := u.count(entry.Size); err != nil {
		return err
	}
	entry.Path = name
	return u.put(entry)
}

// put adds an entry. The last one of a path counts, as when it is unpacked.
func (u *unpacker) put(entry archive.Entry) error {
	for dir := path.Dir(entry.Path); dir != "." && !u.folders[dir]; dir = path.Dir(dir) {
		u.folders[dir] = true
	}
	i, found := u.byPath[entry.Path]
	if !found {
		u.byPath[entry.Path] = len(u.tree.entries)
		u.tree.entries = append(u.tree.entries, entry)
		return nil
	}
	if (u.tree.entries[i].Kind == archive.Folder) != (entry.Kind == archive.Folder) {
		return fmt.Errorf("%w: the layer has %q both as a file and as a folder", archive.ErrHostile, entry.Path)
	}
	u.tree.entries[i] = entry
	return nil
}

// finish drops the folders that follow from what they hold.
func (u *unpacker) finish() {
	kept := u.tree.entries[:0]
	for _, entry := range u.tree.entries {
		if entry.Kind != archive.Folder || !u.folders[entry.Path] {
			kept = append(kept, entry)
		}
	}
	u.tree.entries = kept
}

// copyAll copies with a given buffer, whatever faster ways the ends offer: some
// of them take a whole file into memory.
func copyAll(w io.Writer, r io.Reader, buffer []byte) (int64, error) {
	var written int64
	for {
		n, err := r.Read(buffer)
		if n > 0 {
			written += int64(n)
			if _, err := w.Write(buffer[:n]); err != nil {
				return written, fmt.Errorf("cannot write the scratch file: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return written, nil
		}
		if err != nil {
			return written, explain(err)
		}
	}
}
