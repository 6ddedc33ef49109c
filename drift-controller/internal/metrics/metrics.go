// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

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
	found
	attention
	sources
	compared *prometheus.HistogramVec
	writes   *prometheus.CounterVec
	moves    *prometheus.CounterVec
}

// found is what the last comparison found.
type found struct {
	entries, objects, oldest, valid *prometheus.GaugeVec
	stage, stageSince, conditions   *prometheus.GaugeVec
	suspended                       *prometheus.GaugeVec
}

// perApp are the labels of every series.
var perApp = []string{"namespace", "application"}

func with(more ...string) []string { return append(perApp[:2:2], more...) }

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, with(labels...))
}

// New makes the series and registers them.
func New(registry prometheus.Registerer) *Drift {
	d := &Drift{
		found: found{
			entries:    gauge("holdfast_drift_entries", "Entries of the drift report, by class.", "class"),
			objects:    gauge("holdfast_objects", "Declared objects, by verdict.", "verdict"),
			oldest:     gauge("holdfast_drift_oldest_seconds", "Age of the oldest entry that counts as drift at the last comparison; 0 without any."),
			valid:      gauge("holdfast_verdict_valid_until_timestamp_seconds", "Past this time the last verdict reads as Unknown."),
			stage:      gauge("holdfast_stage", "The effective stage: 1 under the label of the stage that an application is at, 0 under the others.", "stage"),
			stageSince: gauge("holdfast_stage_since_timestamp_seconds", "Since when an application is at its effective stage."),
			conditions: gauge("holdfast_condition", "1 under the status that a condition has, 0 under the others.", "type", "status"),
			suspended:  gauge("holdfast_suspended", "1 if an application is suspended: nothing is compared, and its verdict runs out."),
		},
		attention: newAttention(),
		sources:   newSources(),
		compared: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_comparison_duration_seconds", Help: "Time of one walk over an application's objects.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}, perApp),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_writes_total", Help: "Steps of plans that were carried out, by verb and result.",
		}, with("verb", "result")),
		moves: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_stage_changes_total", Help: "Changes of the effective stage, by the stage that was reached and whether it is higher.",
		}, with("stage", "direction")),
	}
	for _, g := range d.gauges() {
		registry.MustRegister(g)
	}
	registry.MustRegister(d.compared, d.writes, d.moves)
	return d
}

func (d *Drift) gauges() []*prometheus.GaugeVec {
	return []*prometheus.GaugeVec{
		d.entries, d.objects, d.oldest, d.valid, d.stage, d.stageSince, d.conditions, d.suspended,
		d.plans, d.backlog, d.contested, d.glass, d.glassSince, d.glassUntil,
		d.ready, d.stale,
	}
}

var (
	allClasses = []api.Class{
		api.ClassPending, api.ClassController, api.ClassManual, api.ClassContested, api.ClassDefault, api.ClassRemoved,
		api.ClassWebhook, api.ClassUnowned, api.ClassMissing, api.ClassStray, api.ClassUnknown,
	}
	allStages = []api.Stage{api.StageObserve, api.StageSync, api.StageSelfHeal, api.StagePrune}
)

// Set writes what a status says. Every series is set and none is removed and
// made anew: a scrape between the two would end an alert that is about to fire.
func (d *Drift) Set(app types.NamespacedName, s api.ApplicationStatus, now time.Time) {
	d.setStage(app, s.Stage)
	d.setConditions(app, s.Conditions)
	d.attention.set(app, s)
	if s.Summary == nil || s.Compared == nil {
		return
	}
	for _, class := range allClasses {
		d.entries.WithLabelValues(app.Namespace, app.Name, string(class)).Set(float64(s.Summary.ByClass[class]))
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
	d.oldest.WithLabelValues(app.Namespace, app.Name).Set(age)
	d.valid.WithLabelValues(app.Namespace, app.Name).Set(float64(s.Compared.ValidUntil.Unix()))
}

// setStage tells the stage at every run and not when it changes, or a restart
// would leave the fleet without stages until then.
func (d *Drift) setStage(app types.NamespacedName, s api.StageStatus) {
	if s.Effective == "" {
		return
	}
	for _, each := range allStages {
		d.stage.WithLabelValues(app.Namespace, app.Name, string(each)).Set(is(each == s.Effective))
	}
	if s.Since != nil {
		d.stageSince.WithLabelValues(app.Namespace, app.Name).Set(float64(s.Since.Unix()))
	}
}

// Compared counts one walk over an application's objects.
func (d *Drift) Compared(app types.NamespacedName, took time.Duration) {
	d.compared.WithLabelValues(app.Namespace, app.Name).Observe(took.Seconds())
}

// Wrote counts one step of a plan.
func (d *Drift) Wrote(app types.NamespacedName, verb, result string) {
	d.writes.WithLabelValues(app.Namespace, app.Name, verb, result).Inc()
}

// Moved counts a change of the effective stage, once it stands in the status.
func (d *Drift) Moved(app types.NamespacedName, before, after api.Stage) {
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
	for _, v := range d.gauges() {
		v.DeletePartialMatch(labels)
	}
	d.sources.forget(app)
	d.compared.DeletePartialMatch(labels)
	d.writes.DeletePartialMatch(labels)
	d.moves.DeletePartialMatch(labels)
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
