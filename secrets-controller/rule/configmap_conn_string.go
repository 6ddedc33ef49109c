// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var configmapConnString = Rule{
	ID:          "configmap-conn-string",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ConfigMap holds an address with a password in it.",
	Remedy:      "Replace the password, put the address into a Secret or take the password out of it.",
	Source:      "https://github.com/goharbor/harbor-helm/issues/111",
	Check:       checkConfigmapConnString,
}

func checkConfigmapConnString(in Input) []finding.Finding {
	return in.opened("configmap-conn-string", func(o declaration.Open) finding.Finding {
		f := finding.Finding{Message: "key " + o.Name + " holds an address with a password in it"}
		if !o.Has(shape.URLPassword) {
			f.Severity = secretsv1.SeverityWarning
			f.Message += ", for a host that is an example"
		}
		return f
	})
}
