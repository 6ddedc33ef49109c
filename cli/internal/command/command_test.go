// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

func TestExecute(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	tests := map[string]struct {
		reason   string
		args     []string
		code     int
		out, err string
	}{
		"version":        {reason: "needs no cluster", args: []string{"version"}, out: "holdfast v1.2.3 ("},
		"help":           {reason: "is an answer", args: []string{"--help"}, out: "Exit codes:"},
		"unknown verb":   {reason: "the help is named", args: []string{"frobnicate"}, code: exit.Failed, err: "See: holdfast --help"},
		"unknown noun":   {reason: "cobra alone would give the help and 0", args: []string{"get", "aplications"}, code: exit.Failed, err: "did you mean applications?"},
		"unknown flag":   {reason: "the verb's own help is named", args: []string{"get", "drift", "x", "--explain"}, code: exit.Failed, err: "See: holdfast get drift --help"},
		"no name":        {reason: "said before a cluster is looked for", args: []string{"get", "drift"}, code: exit.Failed, err: "See: holdfast get drift --help"},
		"no kubeconfig":  {reason: "what to do next", args: []string{"get", "applications"}, code: exit.Failed, err: "Name a kubeconfig"},
		"unknown format": {reason: "those that exist are named", args: []string{"get", "applications", "-o", "xml"}, code: exit.Failed, err: "table, wide, json, yaml, name"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Execute(context.Background(), tc.args, "v1.2.3", terminal.Terminal{Out: &out, Err: &errs, Now: time.Now})
			if code != tc.code {
				t.Errorf("%s: code %d, want %d", tc.reason, code, tc.code)
			}
			if !strings.Contains(out.String(), tc.out) || !strings.Contains(errs.String(), tc.err) {
				t.Errorf("%s: stdout %q, stderr %q, want %q and %q in them", tc.reason, out.String(), errs.String(), tc.out, tc.err)
			}
		})
	}
}

// Every verb says what it does and shows an example, or leads to ones that do.
func TestEveryVerbIsDocumented(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s has no short description", cmd.CommandPath())
		}
		if !cmd.HasSubCommands() && cmd.Example == "" && cmd.Name() != "version" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(Root("v1.2.3", terminal.Terminal{}))
}
