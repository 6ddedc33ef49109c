// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var retainEmptyFind = Rule{
	ID:          "retain-empty-find",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "With deletionPolicy Retain a find that matches nothing is reported as synced, and no Secret comes into being.",
	Remedy:      "Name one key that has to be there under data.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2894",
	Check:       checkRetainEmptyFind,
}

func checkRetainEmptyFind(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if es.Target.Deletion != declaration.DeletionRetain || len(es.Data) > 0 || len(es.DataFrom) == 0 {
			return nil
		}
		for _, item := range es.DataFrom {
			if !item.HasFind {
				return nil
			}
		}
		return one(spot(es.Ref, es.Base.Child("dataFrom"), "nothing but finds: if none matches, the status says synced and there is no Secret"))
	})
}
