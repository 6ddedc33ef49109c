// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var gatewayCertRefCrossNamespace = Rule{
	ID:          "gateway-certref-cross-ns",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A listener names a certificate Secret of another namespace, which needs a ReferenceGrant there.",
	Remedy:      "Add a ReferenceGrant in the namespace of the Secret.",
	Source:      "https://gateway-api.sigs.k8s.io/api-types/referencegrant/",
	Check:       checkGatewayCertRefCrossNamespace,
}

func checkGatewayCertRefCrossNamespace(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		if ref.Use != declaration.UseGatewayTLS || ref.Namespace == ref.By.Namespace || in.granted(ref) {
			continue
		}
		f := finding.Finding{
			Object: ref.By, Path: string(ref.SecretAt),
			Message: fmt.Sprintf("Secret %s lives in namespace %s, which grants this Gateway nothing", ref.Secret, ref.Namespace),
		}
		if !in.declaresIn(ref.Namespace) {
			f.Severity = secretsv1.SeverityUnknown
			f.Message = fmt.Sprintf("Secret %s lives in namespace %s, which another artifact declares: whether it grants the reference is not known here", ref.Secret, ref.Namespace)
		}
		out = append(out, f)
	}
	return out
}

func (in Input) granted(ref declaration.Reference) bool {
	for _, grant := range in.Declared.Grants {
		if grant.Admits(ref.By, ref.Namespace, ref.Secret) {
			return true
		}
	}
	return false
}

// declaresIn says whether this artifact speaks for a namespace: it produces
// Secrets there, so a grant would stand beside them.
func (in Input) declaresIn(namespace string) bool {
	for _, production := range in.Declared.Productions(nil) {
		if production.Namespace == namespace {
			return true
		}
	}
	return false
}
