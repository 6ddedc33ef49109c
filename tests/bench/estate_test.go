// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkEstate: many applications, each with a namespace, a source and a
// service account of its own, of which nothing changes: processor time, requests
// and memory of the drift-controller, which looks as all these accounts.
func BenchmarkEstate(b *testing.B) {
	applications, objects, minutes := 100, 100, 5
	if testing.Short() {
		applications, minutes = 20, 2
	}
	r := newRig(b)
	r.observed(b, "estate-0", objects)
	quiet(b)
	one := r.heap(b)
	for i := 1; i < applications; i++ {
		r.observed(b, fmt.Sprintf("estate-%d", i), objects)
	}
	quiet(b)
	all, idle := r.heap(b), time.Duration(minutes)*time.Minute
	start, before := time.Now(), r.metric(b, "process_cpu_seconds_total")
	select {
	case <-time.After(idle):
	case <-b.Context().Done():
		b.Fatal(b.Context().Err())
	}
	worked := r.metric(b, "process_cpu_seconds_total") - before
	counts := r.requests(b, start)
	for kind, count := range counts {
		b.Logf("%6d %s", count, kind)
	}
	b.ReportMetric(100*worked/idle.Seconds(), "%-of-a-core")
	b.ReportMetric(float64(counts["total"])/float64(applications*objects*minutes), "requests/object/interval")
	b.ReportMetric((all-one)/float64(applications-1)/1024, "KiB-heap/identity")
	b.ReportMetric(r.peak(b), "MiB-peak-rss")
	b.ReportMetric(0, "ns/op")
}
