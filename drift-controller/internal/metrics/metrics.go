// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics counts drift for alerts: gauges per application and class,
// the age of the oldest entry that counts, and how long comparisons take.
//
// In: summaries. Out: Prometheus series. No label ever holds a value or a path.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Drift is the series of the drift-controller.
type Drift struct {
	entries  *prometheus.GaugeVec
	objects  *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
	compared *prometheus.HistogramVec
	valid    *prometheus.GaugeVec
	writes   *prometheus.CounterVec
	stage    *prometheus.GaugeVec
	moves    *prometheus.CounterVec
}

// New makes the series and registers them.
func New(registry prometheus.Registerer) *Drift {
	app := []string{"namespace", "application"}
	d := &Drift{
		entries: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_drift_entries", Help: "Entries of the drift report, by class.",
		}, append(app[:2:2], "class")),
		objects: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_objects", Help: "Declared objects, by verdict.",
		}, append(app[:2:2], "verdict")),
		oldest: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_drift_oldest_seconds", Help: "Age of the oldest entry that counts as drift at the last comparison; 0 without any.",
		}, app),
		compared: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_comparison_duration_seconds", Help: "Time of one walk over an application's objects.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}, app),
		valid: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_verdict_valid_until_timestamp_seconds", Help: "Past this time the last verdict reads as Unknown.",
		}, app),
	}
	d.writes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_writes_total", Help: "Steps of plans that were carried out, by verb and result.",
	}, append(app[:2:2], "verb", "result"))
	d.stage = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "holdfast_stage", Help: "The effective stage: 1 under the label of the stage that an application is at.",
	}, append(app[:2:2], "stage"))
	d.moves = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_stage_changes_total", Help: "Changes of the effective stage, by the stage that was reached and whether it is higher.",
	}, append(app[:2:2], "stage", "direction"))
	registry.MustRegister(d.entries, d.objects, d.oldest, d.compared, d.valid, d.writes, d.stage, d.moves)
	return d
}

// Set writes what a comparison found.
func (d *Drift) Set(app types.NamespacedName, s api.ApplicationStatus, now time.Time) {
	if s.Summary == nil || s.Compared == nil {
		return
	}
	labels := prometheus.Labels{"namespace": app.Namespace, "application": app.Name}
	d.entries.DeletePartialMatch(labels)
	for class, n := range s.Summary.ByClass {
		d.entries.WithLabelValues(app.Namespace, app.Name, string(class)).Set(float64(n))
	}
	for verdict, n := range map[api.Verdict]int32{
		api.VerdictInSync: s.Summary.InSync, api.VerdictDrifted: s.Summary.Drifted,
		api.VerdictMissing: s.Summary.Missing, api.VerdictUnknown: s.Summary.Unknown,
	} {
		d.objects.WithLabelValues(app.Namespace, app.Name, string(verdict)).Set(float64(n))
	}
	age := 0.0
	if s.Summary.OldestDrift != nil {
		age = now.Sub(s.Summary.OldestDrift.Time).Seconds()
	}
	d.oldest.With(labels).Set(age)
	d.valid.With(labels).Set(float64(s.Compared.ValidUntil.Unix()))
}

// Compared counts one walk over an application's objects.
func (d *Drift) Compared(app types.NamespacedName, took time.Duration) {
	d.compared.WithLabelValues(app.Namespace, app.Name).Observe(took.Seconds())
}

// Wrote counts one step of a plan.
func (d *Drift) Wrote(app types.NamespacedName, verb, result string) {
	d.writes.WithLabelValues(app.Namespace, app.Name, verb, result).Inc()
}

// Stage tells the effective stage, and counts its changes.
func (d *Drift) Stage(app types.NamespacedName, before, after api.Stage) {
	d.stage.DeletePartialMatch(prometheus.Labels{"namespace": app.Namespace, "application": app.Name})
	d.stage.WithLabelValues(app.Namespace, app.Name, string(after)).Set(1)
	if before == after || before == "" {
		return
	}
	direction := "down"
	if stage.Includes(after, before) {
		direction = "up"
	}
	d.moves.WithLabelValues(app.Namespace, app.Name, string(after), direction).Inc()
}

// Forget drops the series of an application that is gone.
func (d *Drift) Forget(app types.NamespacedName) {
	labels := prometheus.Labels{"namespace": app.Namespace, "application": app.Name}
	for _, v := range []*prometheus.GaugeVec{d.entries, d.objects, d.oldest, d.valid, d.stage} {
		v.DeletePartialMatch(labels)
	}
	d.compared.DeletePartialMatch(labels)
	d.writes.DeletePartialMatch(labels)
	d.moves.DeletePartialMatch(labels)
}
