// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// BenchmarkFirstObservation measures (b): requests until the first verdict of
// an application with 1,000 objects, per object.
func BenchmarkFirstObservation(b *testing.B) {
	r := newRig(b)
	const n = 1000
	// Discovery and schemas are asked once a process; a first small
	// application has that paid before.
	r.observed(b, "warm", 1)
	start := time.Now()
	r.observed(b, "first", n)
	counts := r.requests(b, start)
	for kind, count := range counts {
		if count >= 10 {
			b.Logf("%6d %s", count, kind)
		}
	}
	b.ReportMetric(float64(counts["total"])/n, "requests/object")
	b.ReportMetric(0, "ns/op")
}

// scaler is an autoscaler whose status the benchmark writes.
const scaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler-%d, namespace: idle}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}}
`

// BenchmarkIdle measures (c): requests per object and interval while nothing
// but the status of autoscalers changes.
func BenchmarkIdle(b *testing.B) {
	r := newRig(b)
	const n, scalers = 200, 5
	var extra []string
	for i := range scalers {
		extra = append(extra, fmt.Sprintf(scaler, i))
	}
	r.observed(b, "idle", n, extra...)
	minutes := 10
	if testing.Short() {
		minutes = 2
	}
	quiet(b)
	start, writes := time.Now(), 0
	for end := start.Add(time.Duration(minutes) * time.Minute); time.Now().Before(end); {
		for i := range scalers {
			patch := fmt.Sprintf(`{"status":{"currentReplicas":%d,"desiredReplicas":1}}`, writes%7)
			_, err := r.client.Resource(autoscalers).Namespace("idle").Patch(b.Context(), fmt.Sprintf("scaler-%d", i),
				types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "kube-controller-manager"}, "status")
			check(b, err)
			writes++
		}
		time.Sleep(15 * time.Second) // the pace of an autoscaler
	}
	counts := r.requests(b, start)
	for kind, count := range counts {
		b.Logf("%6d %s", count, kind)
	}
	objects := float64((n + scalers) * minutes)
	b.ReportMetric(float64(counts["total"])/objects, "requests/object/interval")
	b.ReportMetric(float64(counts["total"]-counts["get horizontalpodautoscalers"]-counts["watch horizontalpodautoscalers"])/objects, "without-autoscalers/object/interval")
	b.ReportMetric(float64(counts["get horizontalpodautoscalers"])/float64(writes), "reads/status-write")
	b.ReportMetric(0, "ns/op")
}

// quiet waits until start-up is over.
func quiet(b *testing.B) {
	b.Helper()
	select {
	case <-time.After(10 * time.Second):
	case <-b.Context().Done():
		b.Fatal(b.Context().Err())
	}
}

// BenchmarkMemory measures (d): live heap per watched object, and peak memory.
func BenchmarkMemory(b *testing.B) {
	r := newRig(b)
	const each = 1000
	more := 10
	if testing.Short() {
		more = 2
	}
	r.observed(b, "memory-0", each)
	quiet(b)
	before := r.heap(b)
	for i := range more {
		r.observed(b, fmt.Sprintf("memory-%d", i+1), each)
	}
	quiet(b)
	after := r.heap(b)
	b.ReportMetric((after-before)/float64(more*each), "B/object")
	b.ReportMetric(before/(1<<20), "MiB-heap-at-1000")
	b.ReportMetric(after/(1<<20), "MiB-heap-at-end")
	b.ReportMetric(r.peak(b), "MiB-peak-rss")
	b.ReportMetric(0, "ns/op")
}
