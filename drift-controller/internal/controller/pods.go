// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// podMemory keeps counts of pods for a while: they matter to a reader, and are
// not worth a list at every walk.
type podMemory map[report.PodsKey]counted

type counted struct {
	report.PodCount
	since, at time.Time
}

const podsFor = time.Minute

// pods counts, for each difference in a ConfigMap or Secret, the pods that
// started before its last write: those still run on the old value.
func (p *pass) pods(ctx context.Context, in report.Input) map[report.PodsKey]report.PodCount {
	counts, next := map[report.PodsKey]report.PodCount{}, podMemory{}
	for _, o := range in.Objects {
		since := lastWrite(o)
		if since.IsZero() {
			continue
		}
		for _, reader := range in.Readers[o.ID] {
			if c, ok := p.count(ctx, o.ID, reader, since); ok {
				key := report.PodsKey{Object: o.ID, Reader: reader.ID}
				counts[key], next[key] = c.PodCount, c
			}
		}
	}
	p.known.pods = next
	return counts
}

func (p *pass) count(ctx context.Context, id manifest.ID, reader consumers.Reader, since time.Time) (counted, bool) {
	before, ok := p.known.pods[report.PodsKey{Object: id, Reader: reader.ID}]
	if ok && before.since.Equal(since) && p.now.Sub(before.at) < podsFor {
		return before, true
	}
	if len(reader.Selector) == 0 || p.in.denied != "" {
		return counted{}, false
	}
	pods, err := p.in.observer.Pods(ctx, reader.ID.Namespace, labels.SelectorFromSet(reader.Selector), since)
	if err != nil {
		return counted{}, false // the entry then says that pods were not counted
	}
	return counted{
		PodCount: report.PodCount{Before: int32(pods.Before), Total: int32(pods.Total)}, //nolint:gosec // counts of pods
		since:    since, at: p.now,
	}, true
}

// lastWrite is the last recorded write of a drifting path of the object.
func lastWrite(o drift.Object) time.Time {
	var last time.Time
	for _, j := range o.Judgements {
		for _, owner := range j.Owners {
			if j.Drift && owner.Role != writers.Holdfast && owner.LastWrite.After(last) {
				last = owner.LastWrite
			}
		}
	}
	return last
}
