// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var noneWithConsumers = Rule{
	ID:          "none-with-consumers",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "creationPolicy None writes no Secret, yet a workload reads the target. The status of the ExternalSecret says SecretSynced.",
	Remedy:      "Use creationPolicy Owner, or declare what makes the Secret.",
	Source:      "https://external-secrets.io/latest/guides/ownership-deletion-policy/",
	Check:       checkNoneWithConsumers,
}

func checkNoneWithConsumers(in Input) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		at := secretName{es.Ref.Namespace, es.Target.Name}
		readers := in.index.consumers[at]
		if es.Target.Creation != declaration.CreationNone || len(readers) == 0 || in.created(at) {
			continue
		}
		out = append(out, finding.Finding{
			Object: es.Ref, Path: string(es.Target.At.Child("creationPolicy")),
			Message: fmt.Sprintf("creationPolicy None writes no Secret, and %s reads %s", title(readers[0].By), at.name),
		})
	}
	return out
}
