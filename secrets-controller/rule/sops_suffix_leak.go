// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsSuffixLeak = Rule{
	ID:          "sops-suffix-leak",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A key with the suffix _unencrypted is left in the clear by SOPS, on purpose; it is named like a secret.",
	Remedy:      "Replace the value, and rename the key.",
	Source:      "https://github.com/getsops/sops#encrypting-only-parts-of-a-file",
	Check:       checkSopsSuffixLeak,
}

func checkSopsSuffixLeak(in Input) []finding.Finding {
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			name, suffixed := strings.CutSuffix(leaf.Key, "_unencrypted")
			if secret.SOPS && suffixed && leaf.Stands() && shape.Announces(name) {
				out = append(out, leafFinding(secret.Ref, leaf, "the suffix keeps key "+leaf.Key+" in the clear"))
			}
		}
	}
	return out
}
