// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package documents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience bounds what is waited for to be shown; a whole command may take twice
// as long.
const patience = 90 * time.Second

// sessions are the documents with commands, and where they are played.
var sessions = []struct {
	document string
	stage    func(*testing.T) Stage
}{
	{"docs/tutorial-incident.md", afterTheDemo},
	{"README.md", besideAFleet},
	{"docs/getting-started.md", anEmptyCluster},
	{"docs/install.md", anEmptyCluster},
}

// TestDocuments plays every document from its first command to its last.
func TestDocuments(t *testing.T) {
	for _, s := range sessions {
		t.Run(filepath.Base(s.document), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, s.document))
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := Blocks(string(text))
			if err != nil {
				t.Fatalf("%s: %v", s.document, err)
			}
			p := player{document: s.document, stage: s.stage(t)}
			for _, b := range blocks {
				if err := p.play(t.Context(), b); err != nil {
					t.Fatalf("%s:%v\nthe session:\n%s", s.document, err, p.log.String())
				}
			}
		})
	}
}

// TestEveryBlockIsSomebodys: a console block is played in a session, or says why
// it is not.
func TestEveryBlockIsSomebodys(t *testing.T) {
	played := map[string]bool{}
	for _, s := range sessions {
		played[s.document] = true
	}
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(found) < 10 {
		t.Fatalf("%d documents found: %v", len(found), err)
	}
	for _, file := range append(found, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(root, file)
		blocks, err := Blocks(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, b := range blocks {
			if b.Runs() && b.NotRun == "" && !played[filepath.ToSlash(name)] {
				t.Errorf("%s:%d: no session plays this block; add the document to one, or say why it is not run", name, b.Line)
			}
		}
	}
}

// player goes through a document.
type player struct {
	document string
	stage    Stage
	log      strings.Builder
}

// Stage is where a document is played.
type Stage struct {
	shell *Shell
	// told is what was shown before the document began, such as the demo's story.
	told string
}

var digests = regexp.MustCompile(`sha256:[0-9a-f]{12,64}`)

func (p *player) play(ctx context.Context, b Block) error {
	switch {
	case b.NotRun != "":
		return nil
	case b.File != "":
		return p.stage.shell.Write(ctx, b.File, b.Text)
	case !b.Runs():
		return nil
	}
	commands, err := b.Commands()
	if err != nil {
		return err
	}
	for _, c := range commands {
		if err := p.run(ctx, c); err != nil {
			return fmt.Errorf("%d: %s\n%w", c.Line, c.Text, err)
		}
	}
	return nil
}

// run runs a command, again if it only reads and does not show yet what it is
// to show.
func (p *player) run(ctx context.Context, c Command) error {
	if all := digests.FindAllString(p.log.String(), -1); len(all) > 0 {
		c.Text = strings.ReplaceAll(c.Text, "sha256:DIGEST", all[len(all)-1])
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		began := time.Now()
		output, code, err := p.stage.shell.Run(ctx, c.Text)
		lacks := c.Lacks(p.stage.told + output)
		wrong := code != c.Exit || lacks != ""
		if err == nil && wrong && c.Reads() && ctx.Err() == nil {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
			continue
		}
		fmt.Fprintf(&p.log, "$ %s  (%.1fs, exit code %d)\n%s", c.Text, time.Since(began).Seconds(), code, output)
		switch {
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return err
		case err != nil:
			return fmt.Errorf("it does not end: %w\n%s", err, output)
		case code != c.Exit:
			return fmt.Errorf("exit code %d, want %d\n%s", code, c.Exit, output)
		case lacks != "":
			return fmt.Errorf("the document shows this line, and the command does not:\n%s\nbut:\n%s", lacks, output)
		}
		return nil
	}
}

// TestBlocks: what would be skipped in silence is an error.
func TestBlocks(t *testing.T) {
	tests := map[string]struct {
		reason, text string
		want         []Command
		refused      bool
	}{
		"shown": {
			reason: "lines below a command belong to it", text: "```console\n$ a b\nout 1\n$ c <<E\nx\nE\n```\n",
			want: []Command{{Line: 2, Text: "a b", Shown: []string{"out 1"}}, {Line: 4, Text: "c <<E\nx\nE"}},
		},
		"exit":            {reason: "of the last command", text: "<!-- exit: 1 -->\n```console\n$ a\n```\n", want: []Command{{Line: 3, Text: "a", Exit: 1}}},
		"no language":     {reason: "it might be commands", text: "```\nmake demo\n```\n", refused: true},
		"no block":        {reason: "the comment would be lost", text: "<!-- not run: x -->\n\ntext\n", refused: true},
		"no end":          {reason: "everything after it would be lost", text: "```console\n$ a\n", refused: true},
		"no dollar":       {reason: "it would be taken for output", text: "```console\nmake demo\n```\n", refused: true},
		"open document":   {reason: "the shell would wait for its end", text: "```console\n$ a <<END\nx\n```\n", refused: true},
		"no command":      {reason: "nothing would be run", text: "```console\n```\n", refused: true},
		"no such comment": {reason: "an ordinary comment is nobody's", text: "<!-- a word -->\n\n```console\n$ a\n```\n", want: []Command{{Line: 4, Text: "a"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			blocks, err := Blocks(tc.text)
			var got []Command
			if err == nil {
				got, err = blocks[0].Commands()
			}
			if (err != nil) != tc.refused {
				t.Fatalf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
			if diff := cmp.Diff(tc.want, got); !tc.refused && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLacks: loose in what passes, strict in the rest.
func TestLacks(t *testing.T) {
	tests := map[string]struct {
		reason, shown, output string
		lacks                 bool
	}{
		"ages":    {reason: "they pass", shown: "web  Observe  2s ago", output: "web Observe 17s ago\n"},
		"digests": {reason: "each run has its own", shown: "compared main@sha1:abc1234", output: "compared main@sha1:0badcafe\n"},
		"columns": {reason: "a column that is gone", shown: "web Observe True", output: "web Observe\n", lacks: true},
		"counts":  {reason: "a number is a statement", shown: "3 objects: 3 in sync", output: "3 objects: 2 in sync\n", lacks: true},
		"dots":    {reason: "there is more", shown: "...", output: ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := (Command{Shown: []string{tc.shown}}).Lacks(tc.output); (got != "") != tc.lacks {
				t.Errorf("%s: lacks %q, want %v", tc.reason, got, tc.lacks)
			}
		})
	}
}
