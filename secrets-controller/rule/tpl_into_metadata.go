// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplIntoMetadata = Rule{
	ID:          "tpl-into-metadata",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A fetched value is rendered into a label or an annotation. Metadata is no secret: whoever may list the object sees it, and exporters copy it.",
	Remedy:      "Keep the value in data.",
	Source:      "https://github.com/kubernetes/kubernetes/issues/23564",
	Check:       checkTplIntoMetadata,
}

func checkTplIntoMetadata(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		if b.Target.Template == nil {
			return nil
		}
		for _, text := range b.Target.Template.Metadata {
			var secrets []string
			for _, field := range text.Fields {
				if !harmlessField.MatchString(field) {
					secrets = append(secrets, field)
				}
			}
			if len(secrets) > 0 {
				where, key, _ := strings.Cut(text.Key, " ")
				out = append(out, spot(b.ref, text.At, "%s is rendered into %s of the Secret (%s), which is no secret", listed(secrets), where, key))
			}
		}
		return out
	})
}

// harmlessField are keys whose values people show anyway.
var harmlessField = regexp.MustCompile(`(?i)^(host(name)?|port|url|uri|endpoint|region|bucket|user(name)?|database|dbname|name|type|expires?(_at)?|expiry|version|project)$`)
