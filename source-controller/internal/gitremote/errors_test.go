// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	tests := map[string]struct {
		reason string
		said   string
		want   Fault
	}{
		"redirect":       {"git follows none by itself", "fatal: unable to access 'https://h/r/': The requested URL returned error: 301", Redirected},
		"wants a name":   {"no credentials were given", "fatal: could not read Username for 'https://h': terminal prompts disabled", Unauthorized},
		"forbidden":      {"the account may not", "fatal: unable to access 'https://h/r/': The requested URL returned error: 403", Unauthorized},
		"no repository":  {"as git words a 404", "fatal: repository 'https://h/r/' not found", NotFound},
		"no branch":      {"gone since it was listed", "fatal: couldn't find remote ref refs/heads/x", NotFound},
		"no host":        {"a name that does not resolve", "fatal: unable to access 'https://h/r/': Could not resolve host: h", Unreachable},
		"our disk":       {"a pack that a crash cut short", "error: file ./objects/pack/pack-1.pack is far too short to be a packfile", Broken},
		"a lock":         {"of a git that was killed", "fatal: Unable to create '/m/shallow.lock': File exists.", Broken},
		"their disk":     {"the same words from the server are its own trouble", "remote: error: packfile ./objects/pack/x cannot be accessed\nfatal: early EOF", Unreachable},
		"something else": {"the remote is the usual cause", "fatal: the remote end said something new", Unreachable},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := classify(tc.said); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestOneLine(t *testing.T) {
	got := oneLine("warning: x\nremote: \x1b[31mred\x1b[0m\nfatal: first\n\nhint: try\nerror: second\r\n")
	if want := "remote: ?[31mred?[0m; first; second"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if long := oneLine(strings.Repeat("ä", 2000)); len(long) > 700 {
		t.Errorf("a message of %d bytes is no line of a condition", len(long))
	}
}
