// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var hookBeforeSecret = Rule{
	ID:          "hook-before-secret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A hook runs before the objects of the sync are applied, and reads a Secret that one of these produces: it waits for ever.",
	Remedy:      "Make the producer a hook of an earlier weight, or the consumer no hook.",
	Source:      "https://github.com/argoproj/argo-cd/issues/9891",
	Check:       checkHookBeforeSecret,
}

func checkHookBeforeSecret(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		hook := in.hook(ref.By)
		if hook == "" {
			continue
		}
		for _, production := range in.index.productions[secretName{ref.Namespace, ref.Secret}] {
			if production.Application == "" && in.hook(production.By) == "" {
				out = append(out, spot(ref.By, ref.SecretAt, "hook %s reads Secret %s, which %s produces only afterwards", hook, ref.Secret, titleOf(production)))
			}
		}
	}
	return out
}

// hook is the phase before the sync that an object runs in, if any.
func (in Input) hook(ref secretsv1.ObjectReference) string {
	meta := in.Declared.Metas[ref].Annotations
	for _, hook := range strings.Split(meta["argocd.argoproj.io/hook"], ",") {
		if hook == "PreSync" {
			return hook
		}
	}
	for _, hook := range strings.Split(meta["helm.sh/hook"], ",") {
		if hook == "pre-install" || hook == "pre-upgrade" {
			return hook
		}
	}
	return ""
}
