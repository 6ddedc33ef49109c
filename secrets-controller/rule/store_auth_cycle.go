// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeAuthCycle = Rule{
	ID:          "store-auth-cycle",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A store logs in with a Secret that an ExternalSecret fetches from the same store. That works while the present token is valid, and cannot start on an empty cluster.",
	Remedy:      "Keep a bootstrap credential outside the store, or use the workload identity of the provider.",
	Source:      "https://github.com/siutsin/otaru/issues/2791",
	Check:       checkStoreAuthCycle,
}

func checkStoreAuthCycle(in Input) []finding.Finding {
	fetchedFrom := map[secretName]storeName{}
	for _, es := range in.Declared.ExternalSecrets {
		use := storeUse{by: es.Ref, namespace: es.Ref.Namespace, ref: es.Store}
		if where, at := in.locate(use); es.Store.Name != "" && where == storeFound && es.Target.Creation != declaration.CreationNone {
			fetchedFrom[secretName{es.Ref.Namespace, es.Target.Name}] = at
		}
	}
	var out []finding.Finding
	for _, c := range in.credentials() {
		if fetchedFrom[c.at()] != placeOf(c.store) {
			continue
		}
		out = append(out, finding.Finding{
			Object: c.store.Ref, Path: string(c.At),
			Message: fmt.Sprintf("Secret %s, with which the store logs in, is fetched from this very store: there is no bootstrap", c.Name),
		})
	}
	return out
}
