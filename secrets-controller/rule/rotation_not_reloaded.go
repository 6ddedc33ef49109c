// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rotationNotReloaded = Rule{
	ID:          "rotation-not-reloaded",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret is refreshed, and the process reads it once at its start: a rotated value does not reach it, and nothing restarts it.",
	Remedy:      "Add a reloader annotation or a checksum to the pod template, or mount the Secret as a volume without subPath.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1865",
	Optional:    true,
	Check:       checkRotationNotReloaded,
}

func checkRotationNotReloaded(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		frozen := ref.Use == declaration.UseEnv || ref.Use == declaration.UseEnvFrom || ref.Use == declaration.UseVolume && ref.SubPath
		if !frozen || in.reloads(ref.By) || !in.refreshed(secretName{ref.Namespace, ref.Secret}) {
			continue
		}
		out = append(out, spot(ref.By, ref.EntryAt, "Secret %s is refreshed, and the process reads it %s at its start only: a rotated value stops at the pod", ref.Secret, usage(ref)))
	}
	return out
}

// reloads says whether something restarts the workload when a Secret changes.
func (in Input) reloads(ref secretsv1.ObjectReference) bool {
	if ref.Kind == "CronJob" || ref.Kind == "Job" {
		return true // each run starts anew
	}
	meta := in.Declared.Metas[ref]
	for key := range meta.Annotations {
		if strings.Contains(key, "reloader") || strings.HasPrefix(key, "checksum/") {
			return true
		}
	}
	return in.Declared.Reloaded[ref]
}

// refreshed says whether an ExternalSecret fetches the Secret again and again.
func (in Input) refreshed(at secretName) bool {
	for _, es := range in.Declared.ExternalSecrets {
		if _, renewed := renewal(es.Spec); renewed && es.Ref.Namespace == at.namespace && es.Target.Name == at.name && !es.Target.Immutable {
			return true
		}
	}
	return false
}
