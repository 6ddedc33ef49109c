// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var secretkeyrefInValues = Rule{
	ID:          "secretkeyref-in-values",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A reference was given to a chart where it wants a text: the form of a Go map was printed into the object, and the process takes that for its password.",
	Remedy:      "Use the value of the chart that takes the name of a Secret.",
	Source:      "https://github.com/fluxcd/flux2/issues/3151",
	Check:       checkSecretkeyrefInValues,
}

func checkSecretkeyrefInValues(in Input) []finding.Finding {
	return in.openedAs("secretkeyref-in-values", "a reference (secretKeyRef) was printed as text, and no value will come")
}
