// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsNotDecryptedByFlux = Rule{
	ID:          "sops-not-decrypted-by-flux",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A Kustomization of Flux without decryption applies a file of SOPS as it is: the API server refuses the field sops.",
	Remedy:      "Set spec.decryption.",
	Source:      "https://github.com/fluxcd/flux2/issues/797",
	Check:       checkSopsNotDecryptedByFlux,
}

func checkSopsNotDecryptedByFlux(in Input) []finding.Finding {
	var out []finding.Finding
	flux := in.appliedBy("Kustomization")
	if flux == nil || flux.Decrypts {
		return nil
	}
	for _, secret := range in.Declared.Secrets {
		if secret.SOPS {
			out = append(out, spot(secret.Ref, secret.SOPSAt, "%s applies this without decryption, and the API server refuses the field", title(flux.Ref)))
		}
	}
	return out
}

// appliedBy is the one object of another tool in the source that applies this
// set, if there is one of that kind.
func (in Input) appliedBy(kind string) *declaration.Deployer {
	for _, d := range in.Source.Objects.Deployers {
		if d.Ref.Kind == kind {
			return &d
		}
	}
	return nil
}
