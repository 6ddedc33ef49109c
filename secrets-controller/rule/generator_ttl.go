// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var generatorTTL = Rule{
	ID:          "generator-ttl",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A generated token lives shorter than the interval at which it is renewed. The operator does not couple the two.",
	Remedy:      "Set refreshInterval to half the lifetime of the token.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/6743",
	Check:       checkGeneratorTTL,
}

// lifetimes of what token generators yield.
var lifetimes = map[string]time.Duration{
	"GithubAccessToken":     time.Hour,
	"ECRAuthorizationToken": 12 * time.Hour,
	"STSSessionToken":       12 * time.Hour,
}

func checkGeneratorTTL(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		interval, renewed := renewal(b.Spec)
		for _, item := range b.DataFrom {
			if !renewed || item.Source.Generator == nil {
				continue
			}
			life := lifetimes[item.Source.Generator.Kind]
			if life == 0 || interval <= life*3/4 {
				continue
			}
			f := finding.Finding{
				Object: b.ref, Path: string(b.RefreshInterval.At),
				Message: fmt.Sprintf("a %s lives %s and is renewed every %s", item.Source.Generator.Kind, life, interval),
			}
			if interval < life {
				f.Severity = secretsv1.SeverityWarning
			}
			out = append(out, f)
		}
	}
	return out
}

// defaultInterval is what the API server fills in.
const defaultInterval = time.Hour

// renewal is the interval of a body that is refreshed by the clock.
func renewal(spec declaration.Spec) (time.Duration, bool) {
	if spec.RefreshPolicy != "" && spec.RefreshPolicy != "Periodic" {
		return 0, false
	}
	if !spec.RefreshInterval.IsText {
		return defaultInterval, true
	}
	interval, err := time.ParseDuration(spec.RefreshInterval.Text)
	return interval, err == nil && interval > 0
}
