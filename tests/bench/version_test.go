// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkVersion measures what a person waits for the smallest verb: the start
// of the process and its command tree, without a cluster. A busy machine makes
// it wait; its own processor time says what it would take on a quiet one, and
// the start of a program that does nothing how busy the machine is.
func BenchmarkVersion(b *testing.B) {
	const times = 40
	wall, cpu := median(b, times, "../../bin/holdfast", "version")
	b.ReportMetric(wall, "ms/version")
	b.ReportMetric(cpu, "cpu-ms/version")
	wall, _ = median(b, times, "/bin/true")
	b.ReportMetric(wall, "ms/nothing")
	b.ReportMetric(0, "ns/op")
}

// median of so many runs of a program, in milliseconds: by the clock, and of the
// processor's time.
func median(b *testing.B, times int, program string, args ...string) (wall, cpu float64) {
	b.Helper()
	var waited, worked []time.Duration
	for range times {
		began, cmd := time.Now(), exec.CommandContext(b.Context(), program, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", program, err, out)
		}
		waited = append(waited, time.Since(began))
		worked = append(worked, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	slices.Sort(waited)
	slices.Sort(worked)
	return float64(waited[times/2].Microseconds()) / 1000, float64(worked[times/2].Microseconds()) / 1000
}
