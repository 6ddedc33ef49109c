// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esFinalizerOperatorGone = Rule{
	ID:          "es-finalizer-operator-gone",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator and its objects go in one commit: their finalizers wait for an operator that is not there any more.",
	Remedy:      "Remove the objects first, and the operator when they are gone.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2494",
	Check:       checkEsFinalizerOperatorGone,
}

func checkEsFinalizerOperatorGone(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil || len(in.Previous.Operators) == 0 || len(in.Declared.Operators) > 0 {
		return nil
	}
	for _, old := range in.Previous.PushSecrets {
		out = append(out, spot(old.Ref, "", "%s is removed in this commit: the finalizer of this object will wait for it", title(in.Previous.Operators[0].Ref)))
	}
	for _, old := range in.Previous.ClusterExternalSecrets {
		out = append(out, spot(old.Ref, "", "%s is removed in this commit: what this object left on namespaces stays", title(in.Previous.Operators[0].Ref)))
	}
	return out
}
