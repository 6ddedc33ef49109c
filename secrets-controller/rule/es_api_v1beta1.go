// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esAPIV1beta1 = Rule{
	ID:          "es-api-v1beta1",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "v1beta1 of external-secrets.io is no longer served since ESO 0.17, and there is no conversion: the API server refuses the object.",
	Remedy:      "Write apiVersion: external-secrets.io/v1; common fields are the same.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4784",
	Check:       checkESAPIV1beta1,
}

func checkESAPIV1beta1(in Input) []finding.Finding {
	if in.Live.Versions.Known && slices.Contains(in.Live.Versions.Items, "v1beta1") {
		return nil // an operator older than 0.17 still serves it
	}
	return in.withVersion("v1beta1", "external-secrets.io/v1beta1 is not served since ESO 0.17; external-secrets.io/v1 is")
}

// withVersion finds the objects of ESO's main kinds in one version. PushSecret
// and the generators have versions of their own and do not count.
func (in Input) withVersion(version, message string) []finding.Finding {
	var out []finding.Finding
	note := func(ref secretsv1.ObjectReference) {
		if strings.HasSuffix(ref.APIVersion, "/"+version) {
			out = append(out, finding.Finding{Object: ref, Path: "/apiVersion", Message: message})
		}
	}
	for _, es := range in.Declared.ExternalSecrets {
		note(es.Ref)
	}
	for _, ces := range in.Declared.ClusterExternalSecrets {
		note(ces.Ref)
	}
	for _, store := range in.Declared.Stores {
		note(store.Ref)
	}
	return out
}
