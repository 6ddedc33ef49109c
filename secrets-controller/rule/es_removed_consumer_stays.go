// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esRemovedConsumerStays = Rule{
	ID:          "es-removed-consumer-stays",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "This commit removes what produces a Secret, and who reads it stays.",
	Remedy:      "Remove the consumer too, or keep the producer.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4214",
	Check:       checkEsRemovedConsumerStays,
}

func checkEsRemovedConsumerStays(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil {
		return nil
	}
	for _, old := range in.Previous.ExternalSecrets {
		at := secretName{old.Ref.Namespace, old.Target.Name}
		if _, still := in.after(old.Ref); still || len(in.index.productions[at]) > 0 || len(in.outside(at)) > 0 {
			continue
		}
		if readers := in.consumersOf(at); len(readers) > 0 {
			out = append(out, spot(old.Ref, "", "the ExternalSecret is gone from Git, and %s still reads Secret %s", listed(readers), at.name))
		}
	}
	return out
}
