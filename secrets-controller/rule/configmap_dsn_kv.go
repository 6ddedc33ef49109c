// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var configmapDsnKv = Rule{
	ID:          "configmap-dsn-kv",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ConfigMap holds a connection string with a password in it.",
	Remedy:      "Replace the password, and put the string into a Secret.",
	Source:      "https://github.com/casdoor/casdoor-helm/issues/31",
	Check:       checkConfigmapDsnKv,
}

func checkConfigmapDsnKv(in Input) []finding.Finding {
	return in.opened("configmap-dsn-kv", func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: "key " + o.Name + " holds a connection string with a password in it"}
	})
}
