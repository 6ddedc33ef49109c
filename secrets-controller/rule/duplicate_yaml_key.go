// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var duplicateYamlKey = Rule{
	ID:          "duplicate-yaml-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A key stands twice in one mapping. Parsers differ in which of the two they take, so what is reviewed may not be what is applied.",
	Remedy:      "Remove one of the two.",
	Source:      "https://yaml.org/spec/1.2.2/#3213-node-comparison",
	Check:       checkDuplicateYamlKey,
}

func checkDuplicateYamlKey(in Input) []finding.Finding {
	var out []finding.Finding
	for _, object := range in.Declared.Repeated {
		out = append(out, spot(object.Ref, "", "a key stands twice in the document of this object; which of the two counts depends on the parser"))
	}
	return out
}
