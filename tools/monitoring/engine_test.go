// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// step is how often a rule is evaluated, and a series scraped.
const step = time.Minute

// began is the time of the first sample.
var began = time.Unix(1_800_000_000, 0)

var expressions = parser.NewParser(parser.Options{})

// sample is one float.
type sample struct {
	at    int64
	value float64
}

func (s sample) T() int64                      { return s.at }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.value }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }

// world is the series that a rule is evaluated over.
type world []storage.Series

// load reads series in Prometheus' notation, one value each minute.
func load(t *testing.T, lines []string) world {
	t.Helper()
	var w world
	for _, line := range lines {
		set, values, err := expressions.ParseSeriesDesc(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var samples []chunks.Sample
		for i, v := range values {
			if !v.Omitted {
				samples = append(samples, sample{began.Add(time.Duration(i) * step).UnixMilli(), v.Value})
			}
		}
		w = append(w, storage.NewListSeries(set, samples))
	}
	return w
}

func (w world) Querier(int64, int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		found := &list{at: -1}
		for _, s := range w {
			if matches(s.Labels(), matchers) {
				found.series = append(found.series, s)
			}
		}
		return found
	}}, nil
}

func matches(set labels.Labels, matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		if !m.Matches(set.Get(m.Name)) {
			return false
		}
	}
	return true
}

// list goes over series.
type list struct {
	series []storage.Series
	at     int
}

func (l *list) Next() bool                        { l.at++; return l.at < len(l.series) }
func (l *list) At() storage.Series                { return l.series[l.at] }
func (l *list) Err() error                        { return nil }
func (l *list) Warnings() annotations.Annotations { return nil }

// firing evaluates as Prometheus does: a series fires once the expression has
// had it at each evaluation for as long as the rule says.
func (w world) firing(t *testing.T, r rule, at time.Duration) []labels.Labels {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, Parser: expressions,
	})
	end := began.Add(at)
	query, err := engine.NewRangeQuery(context.Background(), w, nil, r.Expr, end.Add(-r.held(t)), end, step)
	if err != nil {
		t.Fatalf("%s: %v", r.Alert, err)
	}
	defer query.Close()
	result := query.Exec(context.Background())
	matrix, err := result.Matrix()
	if err != nil {
		t.Fatalf("%s: %v", r.Alert, err)
	}
	var firing []labels.Labels
	for _, s := range matrix {
		if len(s.Floats) == int(r.held(t)/step)+1 {
			firing = append(firing, s.Metric)
		}
	}
	return firing
}
