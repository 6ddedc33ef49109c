// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md")

const reference = "../../../docs/cli.md"

// TestReference: docs/cli.md is what the tree says of itself.
func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The command line\n\nGenerated from the commands: `go test ./internal/command -update` in the module writes it, and the test fails while it differs. " +
		"The connection flags of kubectl (--kubeconfig, --context, --namespace and the like) go with every verb.\n\n" +
		"Exit codes: 0 done, and in sync for verbs that compare; 1 differences; 2 an error, or nothing could be told.\n")
	root := Root("v0.0.0", terminal.Terminal{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Now: time.Now})
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		describe(&b, cmd)
	}
	if *update {
		if err := os.WriteFile(reference, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("docs/cli.md is not what the commands say (-want +got):\n%s", diff)
	}
}

func describe(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Hidden || cmd.Name() == "help" {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", cmd.CommandPath(), strings.TrimSuffix(cmd.Short, "."))
	if cmd.Runnable() && !cmd.HasSubCommands() {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", cmd.UseLine())
	}
	if long := strings.TrimSpace(cmd.Long); long != "" && cmd.Name() != "completion" && !strings.HasPrefix(cmd.CommandPath(), "holdfast completion") {
		fmt.Fprintf(b, "\n%s\n", long)
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", cmd.Example)
	}
	var flags []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		line := fmt.Sprintf("| %s | %s |", name, strings.ReplaceAll(f.Usage, "|", "or"))
		flags = append(flags, line)
	})
	if len(flags) > 0 {
		fmt.Fprintf(b, "\n| flag | |\n|---|---|\n%s\n", strings.Join(flags, "\n"))
	}
	for _, sub := range cmd.Commands() {
		describe(b, sub)
	}
}
