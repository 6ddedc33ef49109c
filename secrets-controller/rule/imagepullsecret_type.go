// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var imagepullsecretType = Rule{
	ID:          "imagepullsecret-type",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret that should pull images has another type: the kubelet does not use it, and the pull fails.",
	Remedy:      "Give it the type kubernetes.io/dockerconfigjson.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1651",
	Check:       checkImagepullsecretType,
}

func checkImagepullsecretType(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		if ref.Use != declaration.UseImagePull && ref.Use != declaration.UseServiceAccountPull {
			continue
		}
		for _, es := range in.Declared.ExternalSecrets {
			if es.Ref.Namespace != ref.Namespace || es.Target.Name != ref.Secret || adds(es.Target.Creation) {
				continue
			}
			if kind := typeOf(es.Spec); kind != "kubernetes.io/dockerconfigjson" && kind != "kubernetes.io/dockercfg" {
				out = append(out, spot(ref.By, ref.SecretAt, "%s writes Secret %s with type %s, which pulls no image", title(es.Ref), ref.Secret, kind))
			}
		}
	}
	return out
}
