// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var cloudSaJson = Rule{
	ID:          "cloud-sa-json",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The key file of a cloud's service account stands in the open.",
	Remedy:      "Revoke the key, and use workload identity or a store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3769",
	Check:       checkCloudSaJson,
}

func checkCloudSaJson(in Input) []finding.Finding {
	return in.openedAs("cloud-sa-json", "the key file of a service account")
}
