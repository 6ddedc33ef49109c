// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeKindDisabled = Rule{
	ID:          "store-kind-disabled",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The values of the operator switch the kind off: its objects are never looked at, and get no status that would say so.",
	Remedy:      "Switch the kind on, or do without objects of it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1970",
	Check:       checkStoreKindDisabled,
}

func checkStoreKindDisabled(in Input) []finding.Finding {
	var out []finding.Finding
	for _, operator := range in.Declared.Operators {
		for _, kind := range []string{"ClusterSecretStore", "ClusterExternalSecret", "PushSecret"} {
			if _, off := operator.Off[kind]; !off {
				continue
			}
			for _, object := range in.Declared.Shaped {
				if object.Ref.Kind == kind {
					out = append(out, spot(object.Ref, "", "%s switches the kind %s off in its values: nothing will look at this object", title(operator.Ref), kind))
				}
			}
		}
	}
	return out
}
