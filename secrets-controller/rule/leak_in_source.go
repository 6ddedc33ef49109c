// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// LeakInSource asks to look into files that are in no rendered set.
const LeakInSource = "leak-in-source"

var leakInSource = Rule{
	ID:          LeakInSource,
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A file in Git that is in no rendered set holds a secret.",
	Remedy:      "Replace the value, and remove it from the file.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Optional:    true,
	Check:       checkLeakInSource,
}

func checkLeakInSource(in Input) []finding.Finding {
	var out []finding.Finding
	for _, raw := range in.Source.Raw {
		out = append(out, fromSource(raw.SourceLine, "%s holds a secret in the open", raw.Name))
	}
	return out
}
