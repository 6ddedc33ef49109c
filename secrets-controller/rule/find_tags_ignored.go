// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var findTagsIgnored = Rule{
	ID:          "find-tags-ignored",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The provider looks at the name or at the tags of a find, not at both: the tags are ignored.",
	Remedy:      "Use one of the two.",
	Source:      "https://external-secrets.io/latest/guides/getallsecrets/",
	Check:       checkFindTagsIgnored,
}

func checkFindTagsIgnored(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		provider := in.providerOf(es)
		for _, item := range es.DataFrom {
			if item.FindTags && item.FindRegexp != "" && (provider == "vault" || provider == "gcpsm") {
				out = append(out, spot(es.Ref, item.At.Child("find", "tags"), "provider %s ignores the tags where a name is given", provider))
			}
		}
		return out
	})
}
