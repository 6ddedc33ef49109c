// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var kubeconfigEmbedded = Rule{
	ID:          "kubeconfig-embedded",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A kubeconfig with its key or token stands in the open.",
	Remedy:      "Revoke the credential, and refer to a Secret.",
	Source:      "https://fluxcd.io/flux/components/kustomize/kustomizations/",
	Check:       checkKubeconfigEmbedded,
}

func checkKubeconfigEmbedded(in Input) []finding.Finding {
	return in.openedAs("kubeconfig-embedded", "a kubeconfig with its key or token")
}
