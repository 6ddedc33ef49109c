// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var emptyRemoteKey = Rule{
	ID:          "empty-remote-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "remoteRef.key is required but may be empty for the schema; no provider has a value without a name.",
	Remedy:      "Name the remote value.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkEmptyRemoteKey,
}

func checkEmptyRemoteKey(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		for _, item := range b.Data {
			if item.RemoteKey == "" && item.Source.Generator == nil {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(item.At.Child("remoteRef", "key")),
					Message: "the remote key is empty: no value of the store is named",
				})
			}
		}
	}
	return out
}
