// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/installation"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
)

const oldest, newest = installation.Oldest, installation.Newest

// Before checks what an install needs. An error is a cluster that does not
// answer at all.
func Before(ctx context.Context, c *cluster.Cluster) (report.Checks, error) {
	found, err := c.Versions(ctx)
	if err != nil {
		return nil, err
	}
	checks := report.Checks{serverVersion(found.Kubernetes, c.Place())}
	return append(checks, rights(ctx, c), others(ctx, c)), nil
}

func serverVersion(text, place string) report.Check {
	check := report.Check{Name: "Kubernetes", State: report.Passed, Message: text + " at " + place}
	v, err := version.ParseGeneric(text)
	switch {
	case err != nil:
		check.State, check.Message = report.NotKnown, "the API server calls itself "+text
	case v.LessThan(version.MustParseGeneric(oldest)):
		check.State = report.NotPassed
		check.Next = "Holdfast needs " + oldest + " or later: older servers have no ValidatingAdmissionPolicy v1, which holds observers to dry runs."
	case version.MustParseGeneric(newest).LessThan(version.MajorMinor(v.Major(), v.Minor())):
		check.State = report.Warned
		check.Next = "Tested up to " + newest + ". It should work; look at the release notes first."
	}
	return check
}

func rights(ctx context.Context, c *cluster.Cluster) report.Check {
	check := report.Check{Name: "your rights", State: report.Passed, Message: "you may make what an install makes"}
	in, err := installation.Connect(c)
	var missing []string
	if err == nil {
		missing, err = in.Missing(ctx)
	}
	if err != nil {
		return report.Check{Name: check.Name, State: report.NotKnown, Message: err.Error()}
	}
	if len(missing) > 0 {
		check.State, check.Message = report.Warned, "you may not "+strings.Join(missing, ", ")
		check.Next = "Only install, bootstrap and uninstall need these. Ask an administrator to run them, or give them the output of holdfast install --export."
	}
	return check
}

func others(ctx context.Context, c *cluster.Cluster) report.Check {
	check := report.Check{Name: "other source-controllers", State: report.Passed, Message: "none"}
	in, err := installation.Connect(c)
	if err == nil {
		var found installation.Found
		found, err = in.Look(ctx)
		switch {
		case len(found.Fetchers) > 0:
			check.State, check.Message = report.Warned, strings.Join(found.Fetchers, ", ")
			check.Next = "Install beside it: holdfast install --components drift-controller,secrets-controller"
		case found.SourceKinds:
			check.Message = "none, and CRDs of Flux, which are kept"
		}
	}
	if err != nil {
		check.State, check.Message = report.NotKnown, fmt.Sprint(err)
	}
	return check
}
