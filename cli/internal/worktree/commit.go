// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package worktree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing/fstest"
)

// most is how much of a commit is read into memory. It is the render's own
// limit with room for the rest of the repository.
const most = 512 << 20

// ErrTooLarge says that the commit has more than is read into memory.
var ErrTooLarge = errors.New("the commit is too large")

// Commit opens a commit, branch or tag of the repository that dir is in. It
// reads objects and never checks anything out: filters, line ends and hooks of
// the repository have no say in what an artifact holds.
func Commit(ctx context.Context, dir, revision string, ignore *string) (Tree, error) {
	if err := hasGit(); err != nil {
		return Tree{}, err
	}
	id, err := git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return Tree{}, fmt.Errorf("--revision %s is no commit, branch or tag of the repository at %s (git fetch gets what is new): %w",
			revision, dir, err)
	}
	commit := strings.TrimSpace(string(id))
	listing, err := git(ctx, dir, nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return Tree{}, fmt.Errorf("listing %s: %w", commit, err)
	}
	files, err := readBlobs(ctx, dir, blobs(listing))
	if err != nil {
		return Tree{}, fmt.Errorf("reading %s: %w", commit, err)
	}
	visible, err := Filter(files, ignore)
	if err != nil {
		return Tree{}, err
	}
	return Tree{Files: visible, Name: revision + "@sha1:" + commit[:7], Close: func() error { return nil }}, nil
}

func hasGit() error {
	if _, err := exec.LookPath("git"); err != nil {
		return fmt.Errorf("--revision needs the git program in PATH; --local without it reads the working tree: %w", err)
	}
	return nil
}

// blob is a regular file of a listing.
type blob struct{ id, name string }

// blobs takes the regular files from a listing; links and submodules are not
// part of an artifact.
func blobs(listing []byte) []blob {
	var found []blob
	for line := range bytes.SplitSeq(listing, []byte{0}) {
		head, name, ok := strings.Cut(string(line), "\t")
		fields := strings.Fields(head)
		if ok && len(fields) == 3 && strings.HasPrefix(fields[0], "100") && fields[1] == "blob" {
			found = append(found, blob{id: fields[2], name: name})
		}
	}
	return found
}

// readBlobs reads all files through one git process. The map file system of
// the standard library's tests is an exact in-memory fs.FS; nothing of testing
// comes with it.
func readBlobs(ctx context.Context, dir string, wanted []blob) (fstest.MapFS, error) {
	var ids bytes.Buffer
	for _, b := range wanted {
		ids.WriteString(b.id + "\n")
	}
	out, err := git(ctx, dir, &ids, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, b := range wanted {
		data, err := nextBlob(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
		files[b.name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return files, nil
}

// nextBlob reads "ID blob SIZE\n", the content and a line end.
func nextBlob(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var id, kind string
	var size int
	if _, err := fmt.Sscanf(head, "%s %s %d", &id, &kind, &size); err != nil {
		return nil, fmt.Errorf("git answered %q", strings.TrimSpace(head))
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	return data[:size], nil
}

// git runs one command and gives its output, up to the limit.
func git(ctx context.Context, dir string, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "--no-optional-locks"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &errs
	cmd.Stdout = &limited{w: &out, left: most}
	if err := cmd.Run(); err != nil {
		if out.Len() >= most {
			return nil, fmt.Errorf("%w: more than %d MiB", ErrTooLarge, most>>20)
		}
		if words := strings.TrimSpace(errs.String()); words != "" {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, words)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// limited refuses to take more than it has room for, which ends the process
// that writes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		n, _ := l.w.Write(p[:l.left])
		l.left = 0
		return n, ErrTooLarge
	}
	l.left -= len(p)
	return l.w.Write(p)
}
