// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	corev1 "k8s.io/api/core/v1"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// tell sends an event for each verdict that changed. A first Pass or Unknown
// is no news: nothing was known before.
func (r *ApplicationReconciler) tell(app *driftv1.Application, before, after secretsv1.SecretReportStatus) {
	r.tellVerdict(app, secretsv1.GateDeclaration, before.Declaration, after.Declaration)
	r.tellVerdict(app, secretsv1.GateReadiness, before.Readiness, after.Readiness)
}

func (r *ApplicationReconciler) tellVerdict(app *driftv1.Application, gate secretsv1.FindingGate, before, after *secretsv1.VerdictStatus) {
	if after == nil {
		return
	}
	was := secretsv1.Verdict("")
	if before != nil {
		was = before.Verdict
	}
	if was == after.Verdict || (was == "" && after.Verdict != secretsv1.VerdictDeny) {
		return
	}
	kind := corev1.EventTypeNormal
	if after.Verdict == secretsv1.VerdictDeny {
		kind = corev1.EventTypeWarning
	}
	// What a receiver routes and filters by; the reason names rules and objects,
	// and never a value.
	annotations := map[string]string{
		"secrets.holdfast.dev/gate": string(gate), "secrets.holdfast.dev/verdict": string(after.Verdict),
		"drift.holdfast.dev/stage": string(app.Status.Stage.Effective),
	}
	if rendered := app.Status.Rendered; rendered != nil {
		annotations["drift.holdfast.dev/revision"] = rendered.Revision
	}
	// DeclarationDeny, ReadinessPass and so on: one reason for each outcome.
	r.Events.AnnotatedEventf(app, annotations, kind, string(gate)+string(after.Verdict), "%s", after.Reason)
}
