// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
)

// kept is how many lines of the go command an error shows: enough for a
// compiler's complaint, not a screen full of package names.
const kept = 20

// output reads what the go command prints while it works. Package names and
// downloads are only counted, everything else may explain a failure.
type output struct {
	mu        sync.Mutex
	rest      []byte
	compiled  int
	fetched   int
	remaining []string
}

// Write never fails: a progress line must not stop a build.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest = append(o.rest, p...)
	for {
		end := bytes.IndexByte(o.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		o.line(string(o.rest[:end]))
		o.rest = o.rest[end+1:]
	}
}

func (o *output) line(line string) {
	switch {
	case strings.TrimSpace(line) == "":
	case strings.HasPrefix(line, "go: downloading "):
		o.fetched++
	case !strings.ContainsAny(line, " \t:"):
		// With -v the go command names each package that it compiles, alone
		// on its line.
		o.compiled++
	default:
		o.remaining = append(o.remaining, line)
		if len(o.remaining) > kept {
			o.remaining = o.remaining[1:]
		}
	}
}

// String is the part of a progress line that tells how far the step has come.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var parts []string
	if o.fetched > 0 {
		parts = append(parts, fmt.Sprintf("%d modules fetched", o.fetched))
	}
	if o.compiled > 0 {
		parts = append(parts, fmt.Sprintf("%d packages compiled", o.compiled))
	}
	return strings.Join(parts, ", ")
}

// explain turns a failed go command into an error of the given kind, with the
// command's own words. A cancelled build is no fault of network or sources.
func (o *output) explain(ctx context.Context, err, kind error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the build was stopped: %w", ctx.Err())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := append(o.remaining, string(o.rest))
	return fmt.Errorf("%w (%w):\n%s", kind, err, strings.TrimSpace(strings.Join(lines, "\n")))
}
