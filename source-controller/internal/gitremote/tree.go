// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitobject"
)

// Modes of tree entries, as ls-tree prints them.
const (
	modeExecutable = "100755"
	modeSymlink    = "120000"
	modeSubmodule  = "160000"
	modeRegular    = "100" // the prefix of every other file mode
)

// Content is what a Tree is made of, whoever fetched it.
type Content struct {
	Commit  gitobject.Commit
	Tag     *gitobject.Tag // the annotated tag that led to the commit, nil where none did
	Entries []archive.Entry
	// Copy writes the bytes of a file or the target of a link.
	Copy func(w io.Writer, entry archive.Entry) error
	// Settings reads a file of Git's configuration format by its ID: NUL after
	// each setting, a line break between its key and its value.
	Settings func(ctx context.Context, id string) (string, error)
	// Close gives free what the content is read from.
	Close func()
}

// Tree is the content of one commit. It keeps what it is read from in place
// until Close.
type Tree struct{ content Content }

// NewTree is the tree of a commit that was not fetched by this package.
func NewTree(content Content) *Tree { return &Tree{content} }

// tree lists the tree of a commit and starts the reader of its objects.
func (r *mirror) tree(ctx context.Context, found found, maxEntries int) (*Tree, error) {
	release := r.open()
	content := Content{Close: release, Settings: func(ctx context.Context, id string) (string, error) {
		return r.run(ctx, "config", "--blob="+id, "--no-includes", "--null", "--list")
	}}
	var err error
	if content.Entries, err = r.list(ctx, found.commit, maxEntries); err != nil {
		release()
		return nil, err
	}
	objects, err := r.startObjects(ctx)
	if err != nil {
		release()
		return nil, err
	}
	content.Copy = func(w io.Writer, entry archive.Entry) error {
		return objects.copy(w, entry.ID, "blob", entry.Size)
	}
	content.Close = func() {
		objects.close()
		release()
	}
	if err := objects.readTop(&content, found); err != nil {
		content.Close()
		return nil, err
	}
	return NewTree(content), nil
}

// readTop reads the commit, and the tag that led to it.
func (o *objects) readTop(content *Content, found found) error {
	var raw bytes.Buffer
	if err := o.copy(&raw, found.commit, "commit", -1); err != nil {
		return err
	}
	content.Commit = gitobject.ParseCommit(found.commit, raw.Bytes())
	if found.tag == "" {
		return nil
	}
	var rawTag bytes.Buffer
	if err := o.copy(&rawTag, found.tag, "tag", -1); err != nil {
		return err
	}
	tag := gitobject.ParseTag(found.tag, rawTag.Bytes())
	content.Tag = &tag
	return nil
}

// Commit is the commit that the tree belongs to.
func (t *Tree) Commit() gitobject.Commit { return t.content.Commit }

// Tag is the annotated tag that led to the commit, nil where none did.
func (t *Tree) Tag() *gitobject.Tag { return t.content.Tag }

// Entries are the files, links and submodule folders of the tree.
func (t *Tree) Entries() []archive.Entry { return t.content.Entries }

// Copy writes the bytes of a file or the target of a link.
func (t *Tree) Copy(w io.Writer, entry archive.Entry) error { return t.content.Copy(w, entry) }

// Close gives free what the tree is read from.
func (t *Tree) Close() { t.content.Close() }

// list reads the tree as it streams in, so that a tree that claims billions of
// files ends at the limit instead of in memory.
func (r *mirror) list(ctx context.Context, commit string, maxEntries int) ([]archive.Entry, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := call{dir: r.path, args: []string{"ls-tree", "-r", "-z", "-l", "--full-tree", commit}}
	command := r.git.command(ctx, c)
	said := &tail{}
	command.Stderr = said
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, &Error{Fault: Broken, Message: "cannot read a tree", Cause: err}
	}
	if err := command.Start(); err != nil {
		return nil, failure(ctx, c, err, said)
	}
	entries, readErr := readListing(out, maxEntries)
	if readErr != nil {
		cancel(readErr)
	}
	if err := command.Wait(); err != nil && readErr == nil {
		return nil, failure(ctx, c, err, said)
	}
	return entries, readErr
}

func readListing(out io.Reader, maxEntries int) ([]archive.Entry, error) {
	var entries []archive.Entry
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<16)
	lines.Split(splitNUL)
	for lines.Scan() {
		if maxEntries > 0 && len(entries) == maxEntries {
			return nil, &Error{Fault: TooLarge, Message: fmt.Sprintf("the tree has more than %d files", maxEntries)}
		}
		entry, err := parseEntry(lines.Text())
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{Fault: Unsupported, Message: "cannot read a tree: " + err.Error(), Cause: err}
	}
	return entries, nil
}

func splitNUL(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}

// parseEntry reads "<mode> <type> <object> <size>\t<path>".
func parseEntry(line string) (archive.Entry, error) {
	head, path, found := strings.Cut(line, "\t")
	fields := strings.Fields(head)
	if !found || len(fields) != 4 {
		return archive.Entry{}, &Error{Fault: Broken, Message: fmt.Sprintf("unreadable tree entry %.120q", line)}
	}
	entry := archive.Entry{Path: path, ID: fields[2], Digest: fields[2]}
	switch mode := fields[0]; {
	case mode == modeSubmodule:
		entry.Kind = archive.Folder
		return entry, nil
	case mode == modeSymlink:
		entry.Kind = archive.Symlink
	case mode == modeExecutable:
		entry.Kind = archive.Executable
	case strings.HasPrefix(mode, modeRegular):
		entry.Kind = archive.File
	default:
		return archive.Entry{}, &Error{Fault: Unsupported, Message: fmt.Sprintf("the path %q has the unknown mode %s", path, mode)}
	}
	size, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil {
		return archive.Entry{}, &Error{Fault: Broken, Message: fmt.Sprintf("unreadable tree entry %.120q", line), Cause: err}
	}
	entry.Size = size
	return entry, nil
}

// objects is a running cat-file: one process for all blobs of a tree.
type objects struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    *tail
	cancel  context.CancelFunc
}

func (r *mirror) startObjects(ctx context.Context) (*objects, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := call{dir: r.path, args: []string{"cat-file", "--batch"}}
	o := &objects{command: r.git.command(ctx, c), said: &tail{}, cancel: cancel}
	o.command.Stderr = o.said
	in, err := o.command.StdinPipe()
	if err != nil {
		cancel()
		return nil, &Error{Fault: Broken, Message: "cannot read objects", Cause: err}
	}
	out, err := o.command.StdoutPipe()
	if err != nil {
		cancel()
		return nil, &Error{Fault: Broken, Message: "cannot read objects", Cause: err}
	}
	o.in, o.out = in, bufio.NewReaderSize(out, 64<<10)
	if err := o.command.Start(); err != nil {
		cancel()
		return nil, failure(ctx, c, err, o.said)
	}
	return o, nil
}

// copy writes one object. A size of -1 takes what comes, up to a megabyte.
func (o *objects) copy(w io.Writer, id, kind string, size int64) error {
	if _, err := io.WriteString(o.in, id+"\n"); err != nil {
		return o.broken("cannot ask for object "+id, err)
	}
	header, err := o.out.ReadString('\n')
	if err != nil {
		return o.broken("cannot read object "+id, err)
	}
	fields := strings.Fields(header)
	if len(fields) != 3 || fields[1] != kind {
		return o.broken(fmt.Sprintf("object %s is no %s: %s", id, kind, strings.TrimSpace(header)), nil)
	}
	got, err := strconv.ParseInt(fields[2], 10, 64)
	if err == nil && size < 0 && got > smallOutput {
		return &Error{Fault: TooLarge, Message: fmt.Sprintf("the %s %s has %d bytes, at most %d are read", kind, id, got, smallOutput)}
	}
	if err != nil || (size >= 0 && got != size) {
		return o.broken(fmt.Sprintf("object %s has an unexpected size: %s", id, strings.TrimSpace(header)), err)
	}
	if _, err := io.CopyN(w, o.out, got); err != nil {
		return fmt.Errorf("cannot copy object %s: %w", id, err)
	}
	if _, err := o.out.Discard(1); err != nil {
		return o.broken("cannot read past object "+id, err)
	}
	return nil
}

func (o *objects) broken(message string, cause error) error {
	if said := oneLine(o.said.String()); said != "" {
		message += ": " + said
	}
	return &Error{Fault: Broken, Message: message, Cause: cause}
}

// close ends cat-file. It only reads, so killing it in the middle of an object
// that nobody wants any more loses nothing.
func (o *objects) close() {
	o.cancel()
	_ = o.in.Close()
	_ = o.command.Wait()
}
