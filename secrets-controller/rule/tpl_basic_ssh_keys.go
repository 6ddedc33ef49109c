// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplBasicSSHKeys = Rule{
	ID:          "tpl-basic-ssh-keys",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The API server refuses a basic-auth or ssh-auth Secret without the key of its type.",
	Remedy:      "Write the keys of the type in template.data, or leave the type out.",
	Source:      "https://kubernetes.io/docs/concepts/configuration/secret/#basic-authentication-secret",
	Check:       checkTplBasicSSHKeys,
}

func checkTplBasicSSHKeys(in Input) []finding.Finding {
	return in.missingTypeKeys("kubernetes.io/basic-auth", "kubernetes.io/ssh-auth")
}
