// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	o, err := Parse("secrets-controller", []string{"--concurrent=2", "--no-status-after=1m", "--metrics-addr=0", "--events-addr=http://events/"})
	if err != nil {
		t.Fatal(err)
	}
	if o.Concurrent != 2 || o.NoStatusAfter != time.Minute || o.MetricsAddr != "0" || o.EventsAddr != "http://events/" || o.HealthAddr != ":9440" {
		t.Errorf("got %+v", o)
	}
	t.Setenv("EVENTS_ADDR", "http://by-environment/")
	if o, err = Parse("secrets-controller", nil); err != nil || o.EventsAddr != "http://by-environment/" {
		t.Errorf("EVENTS_ADDR, as Flux's manifests set it: got %q, %v", o.EventsAddr, err)
	}
	for name, args := range map[string][]string{
		"no worker":    {"--concurrent=0"},
		"no patience":  {"--no-status-after=0s"},
		"unknown flag": {"--unknown"},
	} {
		if _, err := Parse("secrets-controller", args); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}
