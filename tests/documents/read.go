// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package documents

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Block is one fenced block of a document.
type Block struct {
	Line     int
	Language string
	Text     string
	// NotRun is the reason why nobody runs it, File where it is written to.
	NotRun, File string
	// Exit of its last command.
	Exit int
}

// Command is one line that a reader types, with what is shown below it.
type Command struct {
	Line int
	Text string
	// Shown are lines that its output has to hold.
	Shown []string
	Exit  int
}

var comment = regexp.MustCompile(`^<!-- (not run|file|exit): (.+) -->$`)

// Blocks of a document. A fence without a language, a comment that belongs to no
// block and a console block without a command are errors: each would be skipped
// in silence.
func Blocks(text string) ([]Block, error) {
	var all []Block
	var next Block
	lines := strings.Split(text, "\n")
	for at := 0; at < len(lines); at++ {
		line := strings.TrimSpace(lines[at])
		if note := comment.FindStringSubmatch(line); note != nil {
			if err := next.note(note[1], note[2]); err != nil {
				return nil, fmt.Errorf("line %d: %w", at+1, err)
			}
			continue
		}
		if !strings.HasPrefix(line, "```") {
			if line != "" && (next != Block{}) {
				return nil, fmt.Errorf("line %d: the comment above it belongs to no block", at+1)
			}
			continue
		}
		end, err := next.fenced(lines, at)
		if err != nil {
			return nil, err
		}
		all, next, at = append(all, next), Block{}, end
	}
	return all, nil
}

// fenced reads the block that begins at a line, and gives the line of its end.
func (b *Block) fenced(lines []string, at int) (end int, err error) {
	end = at + 1 + slices.IndexFunc(lines[at+1:], func(l string) bool { return strings.TrimSpace(l) == "```" })
	if end <= at {
		return 0, fmt.Errorf("line %d: this block does not end", at+1)
	}
	b.Line, b.Language, b.Text = at+1, strings.TrimPrefix(strings.TrimSpace(lines[at]), "```"), strings.Join(lines[at+1:end], "\n")+"\n"
	if b.Language == "" {
		return 0, fmt.Errorf("line %d: name the block's language: console for commands, text for what is none", at+1)
	}
	return end, nil
}

func (b *Block) note(key, value string) (err error) {
	switch key {
	case "not run":
		b.NotRun = value
	case "file":
		b.File = value
	default:
		b.Exit, err = strconv.Atoi(value)
	}
	return err
}

// Runs says whether a block is commands.
func (b Block) Runs() bool { return slices.Contains([]string{"console", "sh", "bash"}, b.Language) }

var document = regexp.MustCompile(`<<'?(\w+)'?`)

// Commands of a block: lines that begin with a dollar sign, each with its
// document if it opens one, and what is shown below it.
func (b Block) Commands() ([]Command, error) {
	var all []Command
	lines := strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n")
	for at := 0; at < len(lines); at++ {
		text, typed := strings.CutPrefix(lines[at], "$ ")
		switch {
		case !typed && len(all) == 0:
			return nil, fmt.Errorf("line %d: a command begins with a dollar sign", b.Line+1+at)
		case !typed:
			all[len(all)-1].Shown = append(all[len(all)-1].Shown, lines[at])
			continue
		}
		line := b.Line + 1 + at
		if here := document.FindStringSubmatch(text); here != nil {
			end := slices.Index(lines[at:], here[1])
			if end < 0 {
				return nil, fmt.Errorf("line %d: the document %s does not end", line, here[1])
			}
			text, at = text+"\n"+strings.Join(lines[at+1:at+end+1], "\n"), at+end
		}
		all = append(all, Command{Line: line, Text: text})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("line %d: there is no command in this block", b.Line)
	}
	all[len(all)-1].Exit = b.Exit
	return all, nil
}

// Reads says whether a command only looks, so that it may be repeated.
func (c Command) Reads() bool {
	words := strings.Fields(c.Text)
	if len(words) < 2 {
		return false
	}
	program := words[0][strings.LastIndex(words[0], "/")+1:]
	return slices.Contains([]string{"kubectl get", "holdfast get", "holdfast plan", "holdfast explain", "holdfast events", "holdfast trace", "holdfast check"}, program+" "+words[1])
}

// passing are words that differ from one look to the next.
var passing = regexp.MustCompile(`^\(?(\d+(\.\d+)?(ms|s|m|h|d)\d*\w*|\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?|.*@sha1:[0-9a-f]+|.*sha256:[0-9a-f]+|.*127\.0\.0\.1:\d+.*|[0-9a-f]{7,64})[,.;:)]*$`)

// Lacks names the first shown line that the output does not hold, "" if none. A
// line of three dots stands for any.
func (c Command) Lacks(output string) string {
	var have [][]string
	for line := range strings.Lines(output) {
		have = append(have, lasting(line))
	}
	for _, line := range c.Shown {
		want := lasting(line)
		if len(want) == 0 || slices.Equal(want, []string{"..."}) {
			continue
		}
		if !slices.ContainsFunc(have, func(got []string) bool { return slices.Equal(got, want) }) {
			return line
		}
	}
	return ""
}

func lasting(line string) []string {
	return slices.DeleteFunc(strings.Fields(line), passing.MatchString)
}
