// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var crdNotInstalled = Rule{
	ID:          "crd-not-installed",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The kind is not installed in the cluster, and nothing in this set or before it installs it: the apply fails.",
	Remedy:      "Deliver the operator with its definitions in an earlier wave, or in an Application that this one depends on.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/527",
	Check:       checkCrdNotInstalled,
}

func checkCrdNotInstalled(in Input) []finding.Finding {
	if !in.Live.Versions.Known && !in.Live.Absent["external-secrets.io/ExternalSecret"] {
		return nil // whether the cluster has the kind was not read
	}
	var out []finding.Finding
	if in.Live.Absent["external-secrets.io/ExternalSecret"] {
		for _, es := range in.Declared.ExternalSecrets {
			if definition, declared := in.Declared.Definitions["external-secrets.io/ExternalSecret"]; declared && in.wave(definition) <= in.wave(es.Ref) {
				continue
			}
			if len(in.Declared.Operators) > 0 {
				continue
			}
			out = append(out, spot(es.Ref, "", "the cluster does not have the kind ExternalSecret, and nothing in this set installs it"))
		}
	}
	return out
}
