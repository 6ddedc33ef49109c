// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var reservedTarget = Rule{
	ID:          "reserved-target",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The target belongs to a tool that keeps its own state in it. Owner and Orphan clear every key that is not declared here.",
	Remedy:      "Use a Secret of another name, or Merge where the tool asks for it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1885",
	Check:       checkReservedTarget,
}

// reserved are Secrets in which tools keep their state.
var reserved = []string{"argocd-secret", "argocd-initial-admin-secret", "sh.helm.release.*", "flux-system", "sops-age", "sops-gpg", "sealed-secrets-key*"}

func checkReservedTarget(in Input) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		for _, name := range reserved {
			if es.Target.Generic || es.Target.Creation == declaration.CreationNone || !matchesName(name, es.Target.Name) {
				continue
			}
			f := finding.Finding{
				Object: es.Ref, Path: string(es.Target.NameAt()),
				Message: fmt.Sprintf("Secret %s holds the state of a tool, and creationPolicy %s writes to it", es.Target.Name, es.Target.Creation),
			}
			if !clearsOthers(es.Target.Creation) {
				f.Severity = secretsv1.SeverityWarning
			}
			out = append(out, f)
		}
	}
	return out
}
