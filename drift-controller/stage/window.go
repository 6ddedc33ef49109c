// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// fields of a schedule: minute, hour, day of the month, month, day of the week.
var fields = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// Windows gives the limit that a Project's windows set at a time: the furthest
// stage of those that are open, and Observe outside of all. A window that
// cannot be read is never open. No windows limit nothing.
func Windows(windows []api.StageWindow, now time.Time) Limit {
	if len(windows) == 0 {
		return Limit{Stage: api.StagePrune}
	}
	limit, next, unread := Limit{Stage: api.StageObserve}, time.Time{}, ""
	for _, w := range windows {
		from, opens, err := period(w, now)
		switch {
		case err != nil:
			unread = fmt.Sprintf("window %q: %v", w.Schedule, err)
		case !from.IsZero() && Includes(w.MaxStage, limit.Stage):
			limit = Limit{Stage: w.MaxStage, By: fmt.Sprintf("window %q is open until %s", w.Schedule, stamp(from.Add(w.Duration.Duration)))}
		case from.IsZero() && (next.IsZero() || opens.Before(next)):
			next = opens
		}
	}
	switch {
	case limit.By != "":
	case unread != "":
		limit.By = unread
	case !next.IsZero():
		limit.By = "no window is open; the next opens " + stamp(next)
	default:
		limit.By = "no window ever opens"
	}
	return limit
}

// period says since when a window is open, zero if it is not, and when it opens
// next.
func period(w api.StageWindow, now time.Time) (since, next time.Time, err error) {
	zone := time.UTC
	if w.TimeZone != "" {
		if zone, err = time.LoadLocation(w.TimeZone); err != nil {
			return since, next, fmt.Errorf("timeZone: %w", err)
		}
	}
	schedule, err := fields.Parse(w.Schedule)
	if err != nil {
		return since, next, fmt.Errorf("schedule: %w", err)
	}
	if w.Duration.Duration <= 0 {
		return since, next, fmt.Errorf("duration %s is no time at all", w.Duration.Duration)
	}
	now = now.In(zone)
	// The last opening counts: of overlapping ones it ends the latest.
	for at := schedule.Next(now.Add(-w.Duration.Duration)); !at.IsZero() && !at.After(now); at = schedule.Next(at) {
		since = at
		if w.Duration.Duration > 7*24*time.Hour {
			break // a long window is open whichever opening one takes
		}
	}
	return since, schedule.Next(now), nil
}

func stamp(t time.Time) string { return t.Format("Mon 2006-01-02 15:04 MST") }
