// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var argsLiteral = Rule{
	ID:          "args-literal",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A command line holds a password: it stands in Git, and in the list of processes.",
	Remedy:      "Replace the value, and pass it by a file or a variable from a Secret.",
	Source:      "https://github.com/nats-io/k8s/issues/200",
	Check:       checkArgsLiteral,
}

func checkArgsLiteral(in Input) []finding.Finding {
	return in.openedAs("args-literal", "a password stands on the command line")
}
