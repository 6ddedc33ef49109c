// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"context"
	"fmt"
	"os"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// reader gives a text form of what Holdfast says of an application.
type reader func(ctx context.Context, s *story, app string) (string, error)

func report(ctx context.Context, s *story, app string) (string, error) {
	entries, err := s.space.Entries(ctx, app)
	if err != nil {
		return "", err
	}
	return s.space.ReportText(entries), nil
}

func status(ctx context.Context, s *story, name string) (string, error) {
	app, err := s.space.Application(ctx, name)
	if err != nil {
		return "", err
	}
	return s.space.StatusText(app), nil
}

func plans(ctx context.Context, s *story, name string) (string, error) {
	app, err := s.space.Application(ctx, name)
	if err != nil {
		return "", err
	}
	return s.space.PlansText(app), nil
}

// compare waits until the text is that of the file. To update, it waits until
// the text stays as it is, and keeps it.
func (r runner) compare(read reader) verb {
	return func(ts *testscript.TestScript, s *story, args []string) error {
		app, file := args[0], args[1]
		if err := s.space.Answered(s.t.Context(), app); err != nil {
			return err
		}
		if r.options.Update {
			text, err := stable(s, app, read)
			if err != nil {
				return err
			}
			return s.keep(ts, file, text)
		}
		want := ts.ReadFile(file)
		return lab.Poll(s.t.Context(), func(ctx context.Context) error {
			got, err := read(ctx, s, app)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want, got); diff != "" {
				return fmt.Errorf("%s of %s (-want +got):\n%s\nin full:\n%s", file, app, diff, got)
			}
			return nil
		})
	}
}

// alike is how many looks in a row have to show the same before a text counts
// as settled; there are ten a second.
const alike = 30

// stable waits until the text has not changed for a while.
func stable(s *story, app string, read reader) (string, error) {
	var last string
	same := 0
	err := lab.Poll(s.t.Context(), func(ctx context.Context) error {
		text, err := read(ctx, s, app)
		if err != nil {
			return err
		}
		if text != last {
			last, same = text, 0
		}
		if same++; same < alike {
			return fmt.Errorf("still changing; the last was:\n%s", last)
		}
		return nil
	})
	return last, err
}

func settled(_ *testscript.TestScript, s *story, args []string) error {
	_, err := stable(s, args[0], status)
	return err
}

// keep writes a text into the script itself.
func (s *story) keep(ts *testscript.TestScript, file, text string) error {
	name, err := s.inArchive(ts, file)
	if err != nil {
		return err
	}
	archive, err := txtar.ParseFile(s.script)
	if err != nil {
		return fmt.Errorf("reading the script to update it: %w", err)
	}
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			archive.Files[i].Data = []byte(text)
			return os.WriteFile(s.script, txtar.Format(archive), 0o644)
		}
	}
	return fmt.Errorf("%s holds no file %s to update", s.script, name)
}
