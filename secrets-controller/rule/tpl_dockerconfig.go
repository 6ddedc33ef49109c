// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplDockerConfig = Rule{
	ID:          "tpl-dockerconfig",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The API server refuses a pull Secret without the key of its type.",
	Remedy:      "Write the keys of the type in template.data, or leave the type out.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1651",
	Check:       checkTplDockerConfig,
}

func checkTplDockerConfig(in Input) []finding.Finding {
	return in.missingTypeKeys("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg")
}
