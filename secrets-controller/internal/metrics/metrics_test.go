// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/types"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

func TestRecordAndForget(t *testing.T) {
	registry := prometheus.NewRegistry()
	r := New(registry)
	app := types.NamespacedName{Namespace: "shop", Name: "users-api"}
	r.Record(app, secretsv1.SecretReportStatus{
		Counts:      secretsv1.FindingCounts{Errors: 2},
		Declaration: &secretsv1.VerdictStatus{Verdict: secretsv1.VerdictDeny},
	})
	want := `
# HELP holdfast_secret_verdict 1 for the verdict that a gate has, 0 for the others.
# TYPE holdfast_secret_verdict gauge
holdfast_secret_verdict{application="users-api",gate="Declaration",namespace="shop",verdict="Deny"} 1
holdfast_secret_verdict{application="users-api",gate="Declaration",namespace="shop",verdict="Pass"} 0
holdfast_secret_verdict{application="users-api",gate="Declaration",namespace="shop",verdict="Unknown"} 0
holdfast_secret_verdict{application="users-api",gate="Readiness",namespace="shop",verdict="Deny"} 0
holdfast_secret_verdict{application="users-api",gate="Readiness",namespace="shop",verdict="Pass"} 0
holdfast_secret_verdict{application="users-api",gate="Readiness",namespace="shop",verdict="Unknown"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "holdfast_secret_verdict"); err != nil {
		t.Error(err)
	}
	if got := testutil.ToFloat64(r.findings.WithLabelValues("shop", "users-api", "Error")); got != 2 {
		t.Errorf("got %v errors, want 2", got)
	}
	r.Forget(app)
	if got := testutil.CollectAndCount(r.verdicts); got != 0 {
		t.Errorf("got %d series after the Application is gone, want none", got)
	}
}
