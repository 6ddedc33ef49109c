// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeMissing = Rule{
	ID:          "store-missing",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The store is neither declared in Git nor in the cluster, so nothing can be fetched. The operator says so only in the status of the ExternalSecret.",
	Remedy:      "Correct the name, or declare the store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1007",
	Check:       checkStoreMissing,
}

func checkStoreMissing(in Input) []finding.Finding {
	var out []finding.Finding
	for _, use := range in.storeUses() {
		where, want := in.locate(use)
		f := finding.Finding{Object: use.by, Path: string(use.ref.At.Child("name"))}
		switch where {
		case storeAbsent:
			f.Message = fmt.Sprintf("there is no %s in Git or in the cluster%s",
				storeTitle(want), suggestion(want.name, in.storesFor(use)))
		case storeUndecided:
			f.Severity = secretsv1.SeverityUnknown
			f.Message = fmt.Sprintf("%s is not in Git, and whether it is in the cluster is not known: %s",
				storeTitle(want), in.whyStoresUnknown(use))
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

func (in Input) whyStoresUnknown(use storeUse) string {
	if unread, any := in.unreadIn(use.namespace); any {
		return unread.because()
	}
	return in.Live.Stores.Reason
}

func storeTitle(at storeName) string {
	return title(secretsv1.ObjectReference{Kind: at.kind, Namespace: at.namespace, Name: at.name})
}

// storesFor lists the names of stores that the place could use.
func (in Input) storesFor(use storeUse) []string {
	var names []string
	for at := range in.index.stores {
		if at.kind == declaration.ClusterSecretStoreKind || at.namespace == use.namespace {
			names = append(names, at.name)
		}
	}
	return names
}
