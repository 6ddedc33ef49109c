// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var initAndEphemeral = Rule{
	ID:          "init-and-ephemeral",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An init, sidecar or ephemeral container reads a Secret that nothing in Git produces: the pod does not start.",
	Remedy:      "Declare what produces the Secret.",
	Source:      "https://github.com/stackrox/kube-linter/issues/1241",
	Check:       checkInitAndEphemeral,
}

func checkInitAndEphemeral(in Input) []finding.Finding {
	return in.danglingWhere(func(ref declaration.Reference) bool {
		return beforeOrBeside(ref) && (ref.Use == declaration.UseEnv || ref.Use == declaration.UseEnvFrom) && !in.prefixed(ref)
	})
}
