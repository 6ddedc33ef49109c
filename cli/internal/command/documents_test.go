// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// named is a command within a sentence or at the start of an example's line.
var named = regexp.MustCompile("(?m)`(holdfast [a-z][^`\n]*)`|^  +(?:[A-Z_]+=\\S+ )?(holdfast [a-z][^\n]*)$")

// TestNamedCommands: what the documents and the help name in passing is a verb
// with these flags. That the verbs work is for other tests; whole sessions are
// played by tests/documents.
func TestNamedCommands(t *testing.T) {
	texts := map[string]string{}
	files, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d documents: %v", len(files), err)
	}
	for _, file := range append(files, "../../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	count := 0
	for file, text := range texts {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			line, _, _ := strings.Cut(found[1]+found[2], " | ")
			line, _, _ = strings.Cut(line, " && ")
			line, _, _ = strings.Cut(line, " > ")
			if strings.Contains(line, "|") || strings.Contains(line, "[flags]") {
				continue // a choice, or a usage line
			}
			count++
			if err := parses(strings.Fields(line)[1:]); err != nil {
				t.Errorf("%s: %q: %v", file, line, err)
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d commands found", count)
	}
}

func parses(words []string) error {
	root := Root("v0.0.0", terminal.Terminal{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Now: time.Now})
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if cmd == root || cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return cobra.NoArgs(root, words)
	}
	return cmd.ParseFlags(rest)
}
