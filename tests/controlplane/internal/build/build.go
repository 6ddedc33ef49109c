// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Run makes the plan's output folder, unless it is there already. It returns
// ErrNoGo, ErrModules, ErrCompile or what the file system answered.
func Run(ctx context.Context, plan Plan, log io.Writer) error {
	plan, err := plan.absolute()
	if err != nil {
		return err
	}
	tool, err := newToolchain(ctx, plan.Module)
	if err != nil {
		return err
	}
	digest, err := plan.digest(tool.version)
	if err != nil {
		return err
	}
	if plan.finished(digest) {
		return nil
	}
	unlock, err := plan.lock(ctx, log)
	if err != nil {
		return err
	}
	defer unlock()
	// Whoever held the lock may have built exactly this.
	if plan.finished(digest) {
		return nil
	}
	return plan.build(ctx, tool, digest, newProgress(log, plan.steps()))
}

func (p Plan) absolute() (Plan, error) {
	var err error
	if p.Module, err = filepath.Abs(p.Module); err != nil {
		return p, fmt.Errorf("module folder: %w", err)
	}
	if p.Out, err = filepath.Abs(p.Out); err != nil {
		return p, fmt.Errorf("output folder: %w", err)
	}
	if _, err = os.Stat(filepath.Join(p.Module, "go.mod")); err != nil {
		return p, fmt.Errorf("%s is not a module folder, name it with -module: %w", p.Module, err)
	}
	return p, nil
}

func (p Plan) lock(ctx context.Context, log io.Writer) (func(), error) {
	if err := os.MkdirAll(filepath.Dir(p.Out), 0o755); err != nil {
		return nil, fmt.Errorf("the output's parent folder: %w", err)
	}
	path := filepath.Join(filepath.Dir(p.Out), "."+filepath.Base(p.Out)+".lock")
	return acquire(ctx, path, func() {
		fmt.Fprintf(log, "waiting for another build into %s (lock %s)\n", p.Out, path)
	})
}

// build fills a work folder and swaps it in. The work folder is a sibling of
// the output, because a rename is atomic within one file system only.
func (p Plan) build(ctx context.Context, tool *toolchain, digest string, progress *progress) error {
	work := filepath.Join(filepath.Dir(p.Out), "."+filepath.Base(p.Out)+".work")
	// A build that was killed has left its folder; nobody else can own it,
	// since we hold the lock.
	if err := os.RemoveAll(work); err != nil {
		return fmt.Errorf("removing the rest of an earlier build: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(work, 0o755); err != nil {
		return fmt.Errorf("making the work folder: %w", err)
	}
	if err := p.fill(ctx, tool, work, progress); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, stampName), []byte(digest+"\n"), 0o644); err != nil {
		return fmt.Errorf("writing the stamp: %w", err)
	}
	if err := p.swap(work); err != nil {
		return err
	}
	progress.done(p.Out)
	return nil
}

func (p Plan) fill(ctx context.Context, tool *toolchain, work string, progress *progress) error {
	var linker string
	err := progress.step("modules", func(o *output) error {
		if err := tool.fetch(ctx, p, o); err != nil {
			return err
		}
		var err error
		linker, err = tool.linkerFlags(ctx, p)
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range p.Commands {
		err := progress.step(c.Name, func(o *output) error {
			return tool.compile(ctx, c, linker, filepath.Join(work, c.Name), o)
		})
		if err != nil {
			return err
		}
	}
	for _, f := range p.Files {
		err := progress.step(f.Name, func(o *output) error {
			return tool.print(ctx, f, filepath.Join(work, f.Name), o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// swap puts the work folder in the output's place. Between its two renames
// there is no output folder at all, which reads as "not built", never as half.
func (p Plan) swap(work string) error {
	old := work + ".old"
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("removing an earlier output: %w", err)
	}
	if err := os.Rename(p.Out, old); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("moving the earlier output away: %w", err)
	}
	if err := os.Rename(work, p.Out); err != nil {
		return fmt.Errorf("putting the output in place: %w", err)
	}
	return os.RemoveAll(old)
}
