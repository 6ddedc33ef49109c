// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var pluginSecretRender = Rule{
	ID:          "plugin-secret-render",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A plugin puts values into the manifests while they are rendered: they stand in the cache of manifests, and everybody who may see those sees them.",
	Remedy:      "Let an operator in the cluster fetch the values.",
	Source:      "https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/",
	Optional:    true,
	Check:       checkPluginSecretRender,
}

func checkPluginSecretRender(in Input) []finding.Finding {
	plugin := in.Scope.GitOps.Plugin || slices.ContainsFunc(in.deployers(), func(d declaration.Deployer) bool { return d.Plugin })
	var out []finding.Finding
	if !plugin {
		return nil
	}
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if leaf.Shape == declaration.ShapeReference {
				out = append(out, leafFinding(secret.Ref, leaf, "key "+leaf.Key+" is replaced by a plugin while rendering"))
			}
		}
	}
	return out
}
