// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsValuesFile = Rule{
	ID:          "sops-values-file",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A values file is encrypted by SOPS: Helm reads it as it is, unless something decrypts it first.",
	Remedy:      "Decrypt at render time, or take the values from a Secret.",
	Source:      "https://github.com/jkroepke/helm-secrets/issues/143",
	Check:       checkSopsValuesFile,
}

func checkSopsValuesFile(in Input) []finding.Finding {
	var out []finding.Finding
	for _, file := range in.Source.EncryptedValues {
		if !in.Scope.Decrypts {
			out = append(out, fromSource(declaration.SourceLine{File: file, Line: 1}, "the values are encrypted, and nothing here decrypts them"))
		}
	}
	return out
}
