// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package clocks

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Tolerance is how far two clocks may be apart and pass as one: a Date header
// has whole seconds, and answers take their time.
const Tolerance = 5 * time.Second

// Times are the present: by our clock, and by the one of the two clocks that is
// behind and the one that is ahead.
type Times struct{ Now, Early, Late time.Time }

// Apart is how far the clocks are apart; zero if they agree.
func (t Times) Apart() time.Duration { return t.Late.Sub(t.Early) }

// Clock is our own, and what is known of the API server's.
type Clock struct {
	clock.PassiveClock

	mu   sync.Mutex
	date time.Time // as the last answer said
	at   time.Time // when it came, for the time that has passed since
}

// New gives a clock that knows of no other yet.
func New(own clock.PassiveClock) *Clock { return &Clock{PassiveClock: own} }

// Times tells the present. Until the API server has answered it is what our own
// clock says.
func (c *Clock) Times() Times {
	now := c.Now()
	server, known := c.server()
	if apart := server.Sub(now).Abs(); !known || apart < Tolerance {
		return Times{Now: now, Early: now, Late: now}
	}
	if server.Before(now) {
		return Times{Now: now, Early: server, Late: now}
	}
	return Times{Now: now, Early: now, Late: server}
}

func (c *Clock) server() (now time.Time, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Not by our own clock: what has passed since is measured by one that
	// nobody sets.
	return c.date.Add(time.Since(c.at)), !c.date.IsZero()
}

// Wrap listens to the answers of a transport.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper { return listener{clock: c, next: next} }

type listener struct {
	clock *Clock
	next  http.RoundTripper
}

// RoundTrip changes neither the request nor the answer.
func (l listener) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.next.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		l.clock.heard(date)
	}
	return answer, nil
}

func (c *Clock) heard(date time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.date, c.at = date, time.Now()
}
