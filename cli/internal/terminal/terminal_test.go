// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFileIsNoTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := Of(f, f, func(string) string { return "" })
	if got.Style.Colour || got.Style.Width != 0 {
		t.Errorf("a file must get plain text of the default width, got %+v", got.Style)
	}
}

func TestWantsColour(t *testing.T) {
	tests := map[string]struct {
		reason string
		env    map[string]string
		want   bool
	}{
		"plain":    {reason: "a terminal shows colour", want: true},
		"NO_COLOR": {reason: "any value but the empty one counts, says no-color.org", env: map[string]string{"NO_COLOR": "0"}},
		"dumb":     {reason: "it would print the codes", env: map[string]string{"TERM": "dumb"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := wantsColour(func(key string) string { return tc.env[key] }); got != tc.want {
				t.Errorf("%s: got %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}
