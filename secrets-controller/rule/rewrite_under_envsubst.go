// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rewriteUnderEnvsubst = Rule{
	ID:          "rewrite-under-envsubst",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Flux replaces ${1} in everything that it applies, so that the operator never sees the group.",
	Remedy:      "Write $${1}, or take the object out of substitution with kustomize.toolkit.fluxcd.io/substitute: disabled.",
	Source:      "https://github.com/fluxcd/flux2/issues/2148",
	Check:       checkRewriteUnderEnvsubst,
}

func checkRewriteUnderEnvsubst(in Input) []finding.Finding {
	deployer, substitutes := in.substitutes()
	if !substitutes {
		return nil
	}
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for _, item := range b.DataFrom {
			for _, rewrite := range item.Rewrites {
				if bracedGroup.MatchString(rewrite.Target) && !in.spared(b.ref) {
					out = append(out, spot(b.ref, rewrite.At.Child("regexp", "target"), "%s substitutes variables: the group in braces is gone before the operator reads it", title(deployer.Ref)))
				}
			}
		}
		return out
	})
}

var bracedGroup = regexp.MustCompile(`(^|[^$])\$\{\d+\}`)
