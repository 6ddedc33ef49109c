// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
)

// podMemory keeps when pods started for a while: that matters to a reader, and
// is not worth a list at every walk.
type podMemory map[manifest.ID]podList

// podList is when the pods of one reader started, as of a time.
type podList struct {
	starts []time.Time
	at     time.Time
}

const podsFor = time.Minute

// pods lists, for each difference that counts, when the pods of those who read
// the object started: the older ones still run on the value before it.
func (p *pass) pods(ctx context.Context, in report.Input) map[manifest.ID][]time.Time {
	starts, next := map[manifest.ID][]time.Time{}, podMemory{}
	for _, o := range in.Objects {
		for _, reader := range in.Readers[o.ID] {
			if _, done := next[reader.ID]; done || !touched(o, reader) {
				continue
			}
			if found, ok := p.starts(ctx, reader); ok {
				starts[reader.ID], next[reader.ID] = found.starts, found
			}
		}
	}
	p.known.pods = next
	return starts
}

func touched(o drift.Object, reader consumers.Reader) bool {
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool {
		return j.Drift && reader.Reads(j.Pointer)
	})
}

func (p *pass) starts(ctx context.Context, reader consumers.Reader) (podList, bool) {
	if before, ok := p.known.pods[reader.ID]; ok && p.now.Sub(before.at) < podsFor {
		return before, true
	}
	if !reader.RunsPods() || p.in.denied != "" {
		return podList{}, false
	}
	starts, err := p.in.observer.PodStarts(ctx, reader.ID.Namespace, labels.SelectorFromSet(reader.Selector))
	if err != nil {
		return podList{}, false // the entry then says that pods were not counted
	}
	return podList{starts: starts, at: p.now}, true
}
