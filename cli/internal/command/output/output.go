// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package output is the -o flag that the verbs share.
//
// In: the formats that a verb offers. Out: a flag that accepts these and names
// them when it is given another. It prints nothing.
package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// format is the flag's value.
type format struct {
	chosen  *screen.Format
	offered []screen.Format
}

// Flag adds -o to a verb; the first format is what it prints without the flag.
func Flag(cmd *cobra.Command, chosen *screen.Format, offered ...screen.Format) {
	*chosen = offered[0]
	f := &format{chosen: chosen, offered: offered}
	cmd.Flags().VarP(f, "output", "o", "format: "+f.names())
	// The flag exists, which is all that this can fail on.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(strings.Split(f.names(), ", "), cobra.ShellCompDirectiveNoFileComp))
}

func (f *format) String() string { return string(*f.chosen) }

// Type is the word that stands for the value in the help.
func (f *format) Type() string { return "format" }

// Set refuses what the verb does not offer.
func (f *format) Set(s string) error {
	if !slices.Contains(f.offered, screen.Format(s)) {
		return fmt.Errorf("it is one of %s", f.names())
	}
	*f.chosen = screen.Format(s)
	return nil
}

func (f *format) names() string {
	names := make([]string, len(f.offered))
	for i, o := range f.offered {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}
