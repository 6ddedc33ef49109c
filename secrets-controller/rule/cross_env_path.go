// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var crossEnvPath = Rule{
	ID:          "cross-env-path",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A namespace of one environment reads a path of another.",
	Remedy:      "Read the path of the own environment.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/163",
	Optional:    true,
	Check:       checkCrossEnvPath,
}

func checkCrossEnvPath(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		own := environmentOf(es.Ref.Namespace)
		for i, item := range es.Data {
			if other := environmentOf(item.RemoteKey); own != "" && other != "" && own != other {
				out = append(out, spot(es.Ref, es.Base.Child("data", i, "remoteRef", "key"), "namespace %s reads a path of %s", es.Ref.Namespace, other))
			}
		}
		return out
	})
}

var environment = regexp.MustCompile(`(?i)(?:^|[-_/.])(dev|test|staging|stage|prod|production|qa)(?:$|[-_/.])`)

// environmentOf is the environment that a name or path speaks of.
func environmentOf(name string) string {
	match := environment.FindStringSubmatch(name)
	if match == nil {
		return ""
	}
	switch word := strings.ToLower(match[1]); word {
	case "production":
		return "prod"
	case "stage":
		return "staging"
	default:
		return word
	}
}
