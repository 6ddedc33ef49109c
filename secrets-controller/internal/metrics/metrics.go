// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Recorder sets the gauges of the secrets-controller.
type Recorder struct {
	findings *prometheus.GaugeVec
	verdicts *prometheus.GaugeVec
}

// New registers the gauges.
func New(registry prometheus.Registerer) *Recorder {
	r := &Recorder{
		findings: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_secret_findings",
			Help: "Findings about the secrets of an application, by severity.",
		}, []string{"namespace", "application", "severity"}),
		verdicts: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_secret_verdict",
			Help: "1 for the verdict that a gate has, 0 for the others.",
		}, []string{"namespace", "application", "gate", "verdict"}),
	}
	registry.MustRegister(r.findings, r.verdicts)
	return r
}

var allVerdicts = []secretsv1.Verdict{secretsv1.VerdictPass, secretsv1.VerdictDeny, secretsv1.VerdictUnknown}

// Record publishes the state of one report.
func (r *Recorder) Record(app types.NamespacedName, status secretsv1.SecretReportStatus) {
	for severity, count := range map[secretsv1.Severity]int32{
		secretsv1.SeverityError:   status.Counts.Errors,
		secretsv1.SeverityWarning: status.Counts.Warnings,
		secretsv1.SeverityInfo:    status.Counts.Infos,
		secretsv1.SeverityUnknown: status.Counts.Unknown,
	} {
		r.findings.WithLabelValues(app.Namespace, app.Name, string(severity)).Set(float64(count))
	}
	for gate, verdict := range map[secretsv1.FindingGate]*secretsv1.VerdictStatus{
		secretsv1.GateDeclaration: status.Declaration,
		secretsv1.GateReadiness:   status.Readiness,
	} {
		for _, word := range allVerdicts {
			value := 0.0
			if verdict != nil && verdict.Verdict == word {
				value = 1
			}
			r.verdicts.WithLabelValues(app.Namespace, app.Name, string(gate), string(word)).Set(value)
		}
	}
}

// Forget removes the series of an Application that is gone.
func (r *Recorder) Forget(app types.NamespacedName) {
	gone := prometheus.Labels{"namespace": app.Namespace, "application": app.Name}
	r.findings.DeletePartialMatch(gone)
	r.verdicts.DeletePartialMatch(gone)
}
