// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// openLeaves lists the keys of Secrets in Git whose value stands in the open
// and about which a rule has something to say. The message is formed from
// names only: the model has no values.
func (in Input) openLeaves(say func(declaration.Secret, declaration.Leaf) string) []finding.Finding {
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if !leaf.Stands() || in.isGenerated(secret, leaf) || leaf.Has(shape.DefaultCredential) {
				continue // more telling rules speak about these
			}
			if message := say(secret, leaf); message != "" {
				out = append(out, leafFinding(secret.Ref, leaf, message))
			}
		}
	}
	return out
}

func leafFinding(ref secretsv1.ObjectReference, leaf declaration.Leaf, message string) finding.Finding {
	return finding.Finding{Object: ref, Path: string(leaf.At), Message: message, Evidence: leaf.Evidence}
}
