// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

func TestNext(t *testing.T) {
	obj := source("https://host/r", func(o *sourcev1.GitRepository) { o.Spec.Interval = metav1.Duration{Duration: time.Minute} })
	r := &reconciler[*sourcev1.GitRepository]{waiting: 30 * time.Second}
	tests := map[string]struct {
		reason string
		halt   *halt.Error
		after  time.Duration
		fails  bool
	}{
		"success":          {"the interval", nil, time.Minute, false},
		"retry":            {"an error is backed off by the queue", halt.Retryf("R", "x"), 0, true},
		"stalled":          {"only another spec helps, and that is an event", halt.Stalledf("R", "x"), 0, false},
		"wait":             {"as the halt says", halt.Waitf("R", time.Second, "x"), time.Second, false},
		"wait, no word of": {"the setting for dependencies", halt.Waitf("R", 0, "x"), 30 * time.Second, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var failure *status.Failure
			if tc.halt != nil {
				failure = &status.Failure{Halt: tc.halt}
			}
			result, err := r.next(obj, failure)
			if result.RequeueAfter != tc.after || (err != nil) != tc.fails {
				t.Errorf("%s: got %v, %v", tc.reason, result, err)
			}
		})
	}
}

func TestRequestedAndRetrying(t *testing.T) {
	ask := func(o *sourcev1.GitRepository) {
		o.Annotations = map[string]string{meta.ReconcileRequestAnnotation: "now"}
	}
	failedAt := func(generation int64) func(*sourcev1.GitRepository) {
		return func(o *sourcev1.GitRepository) {
			o.Status.Conditions = []metav1.Condition{{Type: meta.ReadyCondition, Status: metav1.ConditionFalse, ObservedGeneration: generation}}
		}
	}
	tests := map[string]struct {
		reason    string
		change    func(*sourcev1.GitRepository)
		requested bool
		retrying  bool
	}{
		"nothing":          {"a first pass", nil, false, false},
		"asked":            {"not answered yet", ask, true, false},
		"answered":         {"the value stands in status", func(o *sourcev1.GitRepository) { ask(o); o.Status.LastHandledReconcileAt = "now" }, false, false},
		"failed":           {"the same generation is tried again", failedAt(1), false, true},
		"failed at an old": {"a new generation is news", failedAt(0), false, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := source("https://host/r", tc.change)
			p := &pass[*sourcev1.GitRepository]{reconciler: &reconciler[*sourcev1.GitRepository]{kind: &gitKind{}}, obj: obj, before: obj}
			if p.requested() != tc.requested || p.retrying() != tc.retrying {
				t.Errorf("%s: got requested %v, retrying %v", tc.reason, p.requested(), p.retrying())
			}
		})
	}
}
