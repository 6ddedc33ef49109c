// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var crossNamespaceAssumption = Rule{
	ID:          "cross-namespace-assumption",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A Secret is consumed in one namespace and declared in another one only. Secrets are never shared between namespaces.",
	Remedy:      "Declare the Secret in the namespace that reads it.",
	Source:      "https://github.com/zakkg3/ClusterSecret/issues/146",
	Check:       checkCrossNamespaceAssumption,
}

func checkCrossNamespaceAssumption(in Input) []finding.Finding {
	var out []finding.Finding
	seen := map[declaration.Pointer]secretsv1.ObjectReference{}
	for _, ref := range in.Declared.References {
		if ref.Optional || seen[ref.SecretAt] == ref.By || in.resolve(ref).supply != elsewhere {
			continue
		}
		seen[ref.SecretAt] = ref.By
		out = append(out, finding.Finding{
			Object: ref.By, Path: string(ref.SecretAt),
			Message: fmt.Sprintf("Secret %s, read %s, is declared in namespace %s and not in %s",
				ref.Secret, usage(ref), strings.Join(in.index.namespacesOf(ref.Secret), ", "), ref.Namespace),
		})
	}
	return out
}
