// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplFinalizer = Rule{
	ID:          "tpl-finalizer",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template puts a finalizer on the Secret: its deletion hangs until somebody removes it.",
	Remedy:      "Leave finalizers to the controllers that serve them.",
	Source:      "https://external-secrets.io/latest/guides/templating/",
	Check:       checkTplFinalizer,
}

func checkTplFinalizer(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		if b.Target.Template == nil || !b.Target.Template.Finalizers {
			return nil
		}
		return one(spot(b.ref, b.Target.Template.At.Child("metadata", "finalizers"), "the Secret gets a finalizer, and its deletion waits for whoever serves it"))
	})
}
