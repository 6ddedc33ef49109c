// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsRecipients = Rule{
	ID:          "sops-recipients",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The file is encrypted for other recipients than .sops.yaml lists: somebody who should be able to read it cannot, or the other way round.",
	Remedy:      "Run sops updatekeys.",
	Source:      "https://github.com/getsops/sops#using-sops-yaml-conf-to-select-kms-pgp-and-age-for-new-files",
	Check:       checkSopsRecipients,
}

func checkSopsRecipients(in Input) []finding.Finding {
	if !in.Source.SOPSRules || len(in.Source.Recipients) == 0 {
		return nil
	}
	var out []finding.Finding
	for _, secret := range in.encryptedInGit() {
		missing := slices.DeleteFunc(slices.Clone(in.Source.Recipients), func(r string) bool { return slices.Contains(secret.Recipients, r) })
		strange := slices.DeleteFunc(slices.Clone(secret.Recipients), func(r string) bool { return slices.Contains(in.Source.Recipients, r) })
		if in.Source.SOPSChoices > 1 {
			// Each rule has its own recipients, and a path chooses the rule:
			// nothing is missing because another rule lists it.
			missing = nil
		}
		if len(missing) > 0 || len(strange) > 0 {
			out = append(out, spot(secret.Ref, secret.SOPSAt, "the file is for %d recipients, of whom .sops.yaml does not list %d, and lacks %d that it lists", len(secret.Recipients), len(strange), len(missing)))
		}
	}
	return out
}

// encryptedInGit are the Secrets that SOPS encrypted: those that were rendered
// as they are, and those in the files of Git, whose recipients the rendering
// took away when it decrypted them.
func (in Input) encryptedInGit() []declaration.Secret {
	var out []declaration.Secret
	seen := map[string]bool{}
	for _, secret := range slices.Concat(in.Declared.Secrets, in.Source.Objects.Secrets) {
		// Every encryption has a MAC of its own.
		if secret.SOPS && len(secret.Recipients) > 0 && !seen[secret.MAC] {
			seen[secret.MAC] = true
			out = append(out, secret)
		}
	}
	return out
}
