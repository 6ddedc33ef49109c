// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var deletionDeleteWithConsumers = Rule{
	ID:          "deletion-delete-with-consumers",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "deletionPolicy Delete removes the Secret when the provider no longer has the value, while workloads read it.",
	Remedy:      "Use Retain, unless the workloads are to stop.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4214",
	Check:       checkDeletionDeleteWithConsumers,
}

func checkDeletionDeleteWithConsumers(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		readers := in.consumersOf(secretName{es.Ref.Namespace, es.Target.Name})
		if es.Target.Deletion != declaration.DeletionDelete || len(readers) == 0 {
			return nil
		}
		return one(spot(es.Ref, es.Target.At.Child("deletionPolicy"), "a deletion in the provider removes Secret %s, which %s reads", es.Target.Name, listed(readers)))
	})
}
