// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var argoRepoSecret = Rule{
	ID:          "argo-repo-secret",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Argo CD finds repositories and clusters by a label of their Secret, which the template of this ExternalSecret does not set.",
	Remedy:      "Set argocd.argoproj.io/secret-type in target.template.metadata.labels.",
	Source:      "https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/",
	Check:       checkArgoRepoSecret,
}

func checkArgoRepoSecret(in Input) []finding.Finding {
	const label = "argocd.argoproj.io/secret-type"
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		t := es.Target.Template
		if es.Labels[label] == "" || t == nil || t.Labels[label] != "" {
			return nil
		}
		return one(spot(es.Ref, t.At, "the label %s stands on the ExternalSecret and not in its template: Argo CD does not see the Secret", label))
	})
}
