// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"reflect"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsEditedAfterEncryption = Rule{
	ID:          "sops-edited-after-encryption",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The encrypted file was changed after SOPS wrote it: its MAC cannot be right any more, and decryption will refuse it.",
	Remedy:      "Encrypt the file again.",
	Source:      "https://github.com/getsops/sops#message-authentication-code",
	Check:       checkSopsEditedAfterEncryption,
}

func checkSopsEditedAfterEncryption(in Input) []finding.Finding {
	if in.Previous == nil {
		return nil
	}
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		for _, old := range in.Previous.Secrets {
			if !sameObject(secret.Ref, old.Ref) || !secret.SOPS || !old.SOPS || secret.MAC == "" || secret.MAC != old.MAC {
				continue
			}
			if !reflect.DeepEqual(evidenceOf(secret), evidenceOf(old)) {
				out = append(out, spot(secret.Ref, secret.SOPSAt.Child("mac"), "values changed and the MAC did not: SOPS will refuse the file"))
			}
		}
	}
	return out
}

func evidenceOf(secret declaration.Secret) map[string]string {
	out := map[string]string{}
	for _, leaf := range secret.Leaves {
		out[leaf.Key] = leaf.Evidence
	}
	return out
}
