// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package get is the verb "get" with its nouns, each a package below this one.
//
// In: a terminal and the connection flags. Out: the command. It does nothing
// of its own.
package get

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/applications"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/approvals"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/drift"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/emergencies"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/rollouts"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/secrets"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get/sources"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// New is the command.
func New(t terminal.Terminal, flags *cluster.Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "get",
		Short: "Show what the controllers found",
		// Cobra would answer a noun that it does not know with the help and
		// code 0, which a script takes for an answer.
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownNoun(cmd, args[0])
		},
	}
	cmd.AddCommand(
		applications.New(t, func() (applications.Source, error) { return flags.Connect() }, nil),
		drift.New(t, func() (drift.Source, error) { return flags.Connect() }, nil),
		secrets.New(t, func() (secrets.Source, error) { return flags.Connect() }, nil),
		sources.New(t, flags.Connect),
		rollouts.New(t, flags.Connect),
		approvals.New(t, flags.Connect),
		emergencies.New(t, flags.Connect),
	)
	return cmd
}

func unknownNoun(cmd *cobra.Command, noun string) error {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(noun); len(near) > 0 {
		return fmt.Errorf("unknown command %q for %q; did you mean %s?", noun, cmd.CommandPath(), strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %q", noun, cmd.CommandPath())
}
