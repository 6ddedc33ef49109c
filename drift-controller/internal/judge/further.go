// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"time"

	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/health"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
)

// checked is the health of an object that is not declared, as it was read.
type checked struct {
	health.Result
	version string // resourceVersion that it was read at; empty: not there
	looked  time.Time
}

// Further tells the health of objects that the application does not declare and
// that count for it. One that its watch shows unchanged costs no request.
func (m *Memo) Further(ctx context.Context, req Request, objects []manifest.Object) ([]drift.Object, error) {
	next := make(map[manifest.ID]checked, len(objects))
	found := make([]drift.Object, 0, len(objects))
	for _, o := range objects {
		id := o.ID()
		c, known := m.further[id]
		if sight := req.Stamp(o.GroupVersionKind(), id); !known || !current(c, sight, req.Now) {
			seen := req.Cluster.Read(ctx, o, observe.Surroundings{})
			if gone := unreachable(seen); gone != nil {
				return nil, gone
			}
			c = checked{looked: req.Now}
			switch {
			case seen.Failure != nil:
				c.Result = health.Result{Status: "Unknown", Message: seen.Failure.Message}
			case seen.Live == nil:
				c.Result = health.Result{Status: "NotFound", Message: "spec.healthChecks names it, and it is not there"}
			default:
				c.Result, c.version = req.Policy.Health.Of(seen.Live), seen.Live.GetResourceVersion()
			}
		}
		next[id] = c
		found = append(found, drift.Object{ID: id, Health: drift.Health(c.Result)})
	}
	m.further = next
	return found, nil
}

// current says whether what was read is what is there.
func current(c checked, sight Sight, now time.Time) bool {
	if !sight.InStep || c.Status == "Unknown" {
		return now.Before(c.looked.Add(unwatched))
	}
	if !sight.Known {
		return c.version == ""
	}
	return sight.ResourceVersion == c.version || now.Before(c.looked.Add(healthEvery))
}
