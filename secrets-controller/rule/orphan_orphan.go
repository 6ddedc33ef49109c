// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var orphanOrphan = Rule{
	ID:          "orphan-orphan",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two ExternalSecrets with creationPolicy Orphan write one Secret: at every refresh each clears the other's keys.",
	Remedy:      "Give each its own target, or use Merge on a Secret that exists.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3817",
	Check:       checkOrphanOrphan,
}

func checkOrphanOrphan(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		if c.es.Target.Creation == declaration.CreationOrphan && c.other.Policy == declaration.CreationOrphan {
			out = append(out, finding.Finding{
				Object: c.es.Ref, Path: string(c.es.Target.NameAt()),
				Message: fmt.Sprintf("Secret %s is the target of %s as well, both with Orphan: each clears the other's keys", c.es.Target.Name, titleOf(c.other)),
			})
		}
	}
	return out
}
