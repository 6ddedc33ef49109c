// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var configmapAppsettings = Rule{
	ID:          "configmap-appsettings",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ConfigMap, or a file within it, holds a value that is named like a secret.",
	Remedy:      "Replace the value, and mount the file from a Secret.",
	Source:      "https://github.com/dragonflyoss/helm-charts/issues/535",
	Check:       checkConfigmapAppsettings,
}

func checkConfigmapAppsettings(in Input) []finding.Finding {
	return in.openedAs("configmap-appsettings", "a value that is named like a secret stands in the open")
}
