// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// When a mirror is tidied: packs are joined past a number of them, and rewritten
// without what no reference leads to once they have doubled.
const (
	maxPacks    = 16
	minRewrite  = 64 << 20
	sizeFile    = "holdfast-size"
	watchEvery  = 200 * time.Millisecond
	smallOutput = 1 << 20
)

// How objects are named.
const (
	formatSHA1   = "sha1"
	formatSHA256 = "sha256"
	sha256Length = 64
)

// formatOf tells how a repository names its objects from one of the names.
func formatOf(hash string) string {
	if len(hash) == sha256Length {
		return formatSHA256
	}
	return formatSHA1
}

// mirror is one bare repository on disk, held by whoever made the value.
type mirror struct {
	git    *program
	path   string
	format string               // how objects are named
	read   func() bool          // whether trees of it are open
	open   func() (done func()) // counts one more
}

// hold gives the mirror of a remote, made if need be, until release is called.
// Repositories that name objects in different ways have mirrors of their own.
func (m *Mirrors) hold(ctx context.Context, remote Remote, format string) (held *mirror, release func(), err error) {
	if m.git == nil {
		return nil, nil, &Error{Fault: Unsupported, Message: "nothing is fetched here: this process was started to list only"}
	}
	name := m.name(remote)
	if format != formatSHA1 {
		name += "-" + format
	}
	slot := m.slot(name)
	release, err = m.acquire(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	held = &mirror{git: m.git, path: filepath.Join(m.mirrors, name), format: format,
		read: func() bool { return m.isRead(slot) }, open: func() func() { return m.reading(slot) }}
	if m.firstUse(slot) {
		held.removeLeftovers()
	}
	if err := held.create(ctx); err != nil {
		release()
		return nil, nil, err
	}
	// The folder's own time is when the mirror was last used, see Sweep.
	now := time.Now()
	if err := os.Chtimes(held.path, now, now); err != nil {
		release()
		return nil, nil, &Error{Fault: Broken, Message: "cannot mark a Git mirror as used", Cause: err}
	}
	return held, release, nil
}

// repaired runs an operation, and once more on a new mirror where the old one
// turns out to be damaged.
func (r *mirror) repaired(ctx context.Context, operation func() error) error {
	err := operation()
	if FaultOf(err) != Broken {
		return err
	}
	if err := r.recreate(ctx); err != nil {
		return err
	}
	return operation()
}

// create makes the repository without a template: no hook, no description.
func (r *mirror) create(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(r.path, "HEAD")); err == nil {
		return nil
	}
	if err := os.MkdirAll(r.path, 0o700); err != nil {
		return &Error{Fault: Broken, Message: "cannot create a Git mirror", Cause: err}
	}
	_, err := r.run(ctx, "init", "--quiet", "--bare", "--template=", "--object-format="+r.format)
	return err
}

// recreate starts over: everything in a mirror can be fetched again.
func (r *mirror) recreate(ctx context.Context) error {
	if err := os.RemoveAll(r.path); err != nil {
		return &Error{Fault: Broken, Message: "cannot remove a damaged Git mirror", Cause: err}
	}
	return r.create(ctx)
}

// run runs git in the mirror for a short answer.
func (r *mirror) run(ctx context.Context, args ...string) (string, error) {
	out, err := r.git.output(ctx, call{dir: r.path, args: args, limit: smallOutput})
	return strings.TrimSpace(string(out)), err
}

// removeLeftovers takes away what a git that was killed leaves behind; without
// it a lock would block the mirror for ever. Only the holder may call it.
func (r *mirror) removeLeftovers() {
	_ = filepath.WalkDir(r.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		name := entry.Name()
		if strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".tmp-") {
			_ = os.Remove(path)
		}
		return nil
	})
}

// tidy keeps the mirror small. A failure is no reason to fail a fetch that
// succeeded: the next one tries again.
func (r *mirror) tidy(ctx context.Context) {
	packs, size := r.packs()
	recorded := r.recordedSize()
	switch {
	case recorded == 0:
		r.recordSize(size)
	case r.read():
		// An open tree may need what no reference leads to any more.
	case size > max(2*recorded, minRewrite):
		if _, err := r.run(ctx, "repack", "-a", "-d", "-q"); err == nil {
			_, size = r.packs()
			r.recordSize(size)
		}
	case packs > maxPacks:
		_, _ = r.run(ctx, "repack", "--geometric=2", "-d", "-q")
	}
}

// packs counts the packs and their bytes, unfinished ones included.
func (r *mirror) packs() (number int, size int64) {
	entries, err := os.ReadDir(filepath.Join(r.path, "objects", "pack"))
	if err != nil {
		return 0, 0
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		size += info.Size()
		if filepath.Ext(entry.Name()) == ".pack" {
			number++
		}
	}
	return number, size
}

func (r *mirror) recordedSize() int64 {
	text, err := os.ReadFile(filepath.Join(r.path, sizeFile))
	if err != nil {
		return 0
	}
	size, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return size
}

func (r *mirror) recordSize(size int64) {
	_ = os.WriteFile(filepath.Join(r.path, sizeFile), []byte(strconv.FormatInt(size, 10)), 0o600)
}

// watch ends a transfer that grows the mirror past the limit. Git has no limit
// of its own for a fetch, so the folder is looked at while it runs.
func (r *mirror) watch(ctx context.Context, limit int64, tooLarge context.CancelCauseFunc) {
	if limit <= 0 {
		return
	}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		if _, size := r.packs(); size > limit {
			tooLarge(&Error{Fault: TooLarge, Message: "the transfer was ended: the repository needs more than " +
				strconv.FormatInt(limit, 10) + " bytes; see --git-mirror-max-size"})
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
