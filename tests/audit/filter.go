// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"slices"
	"time"
)

// Match picks events.
type Match func(Event) bool

// Select returns the events that all matches pick, in order.
func Select(events []Event, matches ...Match) []Event {
	var picked []Event
	for _, event := range events {
		if !slices.ContainsFunc(matches, func(m Match) bool { return !m(event) }) {
			picked = append(picked, event)
		}
	}
	return picked
}

// ByUser picks what a user sent, under its own name or another's.
func ByUser(user string) Match { return func(e Event) bool { return e.User == user } }

// ByActor picks what was done with a user's rights: sent by it as itself, or by
// another that impersonated it.
func ByActor(user string) Match { return func(e Event) bool { return e.Actor() == user } }

// Since picks what was received at a time or later.
func Since(t time.Time) Match { return func(e Event) bool { return !e.Received.Before(t) } }

// Persisting picks every request for a write that is no dry run.
func Persisting(e Event) bool { return e.IsPersisting() }

// DryRun picks the writes that only asked what would happen.
func DryRun(e Event) bool { return e.IsWrite() && e.DryRun }

// InNamespace picks what was about objects of a namespace.
func InNamespace(namespace string) Match {
	return func(e Event) bool { return e.Object.Namespace == namespace }
}

// OfResource picks what was about a resource, subresources included.
func OfResource(group, resource string) Match {
	return func(e Event) bool { return e.Object.Group == group && e.Object.Resource == resource }
}
