// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedMoved = Rule{
	ID:          "sealed-moved",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Strict scope binds the ciphertext to namespace and name. One of them changed after sealing, so that the controller cannot unseal it.",
	Remedy:      "Seal it again under the new name, or with a wider scope.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/297",
	Check:       checkSealedMoved,
}

func checkSealedMoved(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		scope := declaration.Scope(sealed.Annotations)
		old, moved := in.sealedAs(sealed)
		if scope == "cluster-wide" || !moved || scope == "namespace-wide" && old.Ref.Namespace == sealed.Ref.Namespace {
			continue
		}
		at := declaration.Pointer("/metadata/name")
		if old.Ref.Name == sealed.Ref.Name {
			at = "/metadata/namespace"
		}
		out = append(out, spot(sealed.Ref, at, "sealed as %s with scope %s, and now %s: it cannot be unsealed", finding.Name(old.Ref), scope, finding.Name(sealed.Ref)))
	}
	return out
}

// sealedAs finds the same ciphertext under another name: in the files of Git,
// or in the revision before.
func (in Input) sealedAs(sealed declaration.SealedSecret) (declaration.SealedSecret, bool) {
	known := in.Source.Objects.SealedSecrets
	if in.Previous != nil {
		known = slices.Concat(known, in.Previous.SealedSecrets)
	}
	for _, old := range known {
		if sameObject(old.Ref, sealed.Ref) || len(sealed.Encrypted) == 0 || len(old.Encrypted) == 0 {
			continue
		}
		a, b := sealed.Encrypted[0], old.Encrypted[0]
		if a.Key == b.Key && a.Cipher != "" && a.Cipher == b.Cipher {
			return old, old.Ref.Namespace != "" || old.Ref.Name != sealed.Ref.Name
		}
	}
	return declaration.SealedSecret{}, false
}
