// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplEmptyBlock = Rule{
	ID:          "tpl-empty-block",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Any template, an empty one too, stops the labels and annotations of the ExternalSecret from being copied; the data stays as fetched.",
	Remedy:      "Nothing has to be done if that is meant.",
	Source:      "https://external-secrets.io/latest/guides/templating/",
	Check:       checkTplEmptyBlock,
}

func checkTplEmptyBlock(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		t := b.Target.Template
		if t == nil || t.DeclaresData || t.Type != "" || t.Engine != "" || len(t.Labels) > 0 || len(t.Metadata) > 0 || t.Finalizers {
			return nil
		}
		return one(spot(b.ref, t.At, "an empty template only stops labels and annotations from being copied"))
	})
}
