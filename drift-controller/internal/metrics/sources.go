// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
)

// sources tells of each application's source whether it is ready.
type sources struct {
	ready, stale *prometheus.GaugeVec
	since        *sync.Map // types.NamespacedName -> time.Time
}

func newSources() sources {
	return sources{
		ready: gauge("holdfast_source_ready", "1 if the application's source is ready: what it has is what Git says."),
		stale: gauge("holdfast_source_stale_since_timestamp_seconds", "Since when the application's source is not ready; 0 if it is."),
		since: &sync.Map{},
	}
}

// Source tells whether the source is ready, and since when it says so; zero if
// it says nothing. A source that fails may be Unknown during each attempt and
// date its condition anew each time: the first date counts until it is ready.
func (s sources) Source(app types.NamespacedName, ready bool, says, now time.Time) {
	s.ready.WithLabelValues(app.Namespace, app.Name).Set(is(ready))
	if ready {
		s.since.Delete(app)
		s.stale.WithLabelValues(app.Namespace, app.Name).Set(0)
		return
	}
	if says.IsZero() {
		says = now
	}
	first, _ := s.since.LoadOrStore(app, says)
	s.stale.WithLabelValues(app.Namespace, app.Name).Set(float64(first.(time.Time).Unix())) //nolint:forcetypeassert // nothing else is stored
}

func (s sources) forget(app types.NamespacedName) { s.since.Delete(app) }
