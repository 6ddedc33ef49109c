// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitclone

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
)

const (
	// inMemory is the size up to which an object is read in one piece.
	inMemory = 1 << 20
	cached   = 16 << 20
)

type limits struct {
	bytes int64
	files int
}

// disk is the folder of one clone. The client bounds nothing by itself, so what
// it writes is counted here.
type disk struct {
	folder  string
	objects *filesystem.Storage
	files   billy.Filesystem
	budget  *budget
}

func newDisk(ctx context.Context, folder string, most limits) *disk {
	b := &budget{ctx: ctx, most: most}
	dot := &counted{Filesystem: osfs.New(filepath.Join(folder, ".git"), osfs.WithBoundOS()), budget: b}
	return &disk{
		folder: folder,
		budget: b,
		files:  &counted{Filesystem: osfs.New(folder, osfs.WithBoundOS()), budget: b, checkout: true},
		objects: filesystem.NewStorageWithOptions(dot, cache.NewObjectLRU(cached),
			filesystem.Options{LargeObjectThreshold: inMemory}),
	}
}

// budget is what a clone may still write.
type budget struct {
	ctx  context.Context // of the clone: nothing is written after it
	most limits

	mu    sync.Mutex
	bytes int64
	files int
	spent error // what ended it, nil while it lasts
}

// take counts, and refuses what is too much or too late. Once it refused, it
// refuses all.
func (b *budget) take(bytes int64, files int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += bytes
	b.files += files
	switch {
	case b.spent != nil || !b.begun():
	case b.most.bytes > 0 && b.bytes > b.most.bytes:
		b.spent = &gitremote.Error{Fault: gitremote.TooLarge, Message: fmt.Sprintf("the clone was ended: the repository and its checkout need more than %d bytes; see --git-mirror-max-size", b.most.bytes)}
	case b.most.files > 0 && b.files > b.most.files:
		b.spent = &gitremote.Error{Fault: gitremote.TooLarge, Message: fmt.Sprintf("the tree has more than %d files", b.most.files)}
	}
	return b.spent
}

// begun tells whether the clone still goes on.
func (b *budget) begun() bool {
	if b.ctx.Err() == nil {
		return true
	}
	b.spent = b.ctx.Err()
	return false
}

// refusal is what ended the budget, nil if nothing did.
func (b *budget) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// counted is a file system with a budget.
type counted struct {
	billy.Filesystem
	budget   *budget
	checkout bool // whether files of the repository are made here
}

func (c *counted) made(file billy.File, err error) (billy.File, error) {
	if err != nil {
		return nil, err
	}
	return &countedFile{File: file, budget: c.budget}, nil
}

func (c *counted) add() error {
	if !c.checkout {
		return c.budget.take(0, 0)
	}
	return c.budget.take(0, 1)
}

// Create counts a file.
func (c *counted) Create(name string) (billy.File, error) {
	if err := c.add(); err != nil {
		return nil, err
	}
	return c.made(c.Filesystem.Create(name))
}

// OpenFile counts a file that is made.
func (c *counted) OpenFile(name string, flag int, mode os.FileMode) (billy.File, error) {
	if flag&os.O_CREATE == 0 {
		return c.Filesystem.OpenFile(name, flag, mode)
	}
	if err := c.add(); err != nil {
		return nil, err
	}
	return c.made(c.Filesystem.OpenFile(name, flag, mode))
}

// TempFile counts a file.
func (c *counted) TempFile(dir, prefix string) (billy.File, error) {
	if err := c.add(); err != nil {
		return nil, err
	}
	return c.made(c.Filesystem.TempFile(dir, prefix))
}

// Symlink counts a link.
func (c *counted) Symlink(target, link string) error {
	if err := c.add(); err != nil {
		return err
	}
	return c.Filesystem.Symlink(target, link)
}

// MkdirAll counts a folder.
func (c *counted) MkdirAll(name string, mode os.FileMode) error {
	if err := c.budget.take(0, 0); err != nil {
		return err
	}
	return c.Filesystem.MkdirAll(name, mode)
}

// countedFile is a file that is written within the budget.
type countedFile struct {
	billy.File
	budget *budget
}

// Write counts the bytes.
func (f *countedFile) Write(p []byte) (int, error) {
	if err := f.budget.take(int64(len(p)), 0); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}
