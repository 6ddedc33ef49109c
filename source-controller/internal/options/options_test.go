// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestDefaults(t *testing.T) {
	o, err := Parse(nil, []string{"EVENTS_ADDR=http://events", "RUNTIME_NAMESPACE=holdfast-system"})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{
		o.MetricsAddr, o.HealthAddr, o.EventsAddr, o.Concurrent, o.RequeueDependency,
		o.Artifact.StoragePath, o.Artifact.StorageAddress, o.Artifact.ArtifactRetentionTTL, o.Artifact.ArtifactRetentionRecords,
		o.RateLimiter.MinRetryDelay, o.RateLimiter.MaxRetryDelay, o.Jitter.Percentage, o.Watch.AllNamespaces,
		o.LeaderElection.Enable, o.Log.LogLevel, o.Log.LogEncoding, o.Namespace,
	}
	want := []any{
		":8080", ":9440", "http://events", 2, 30 * time.Second,
		"/data", ":9090", time.Minute, 2,
		750 * time.Millisecond, 15 * time.Minute, uint8(5), true,
		false, "info", "json", "holdfast-system",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("setting %d: got %v, the contract has %v", i, got[i], want[i])
		}
	}
}

func TestMirrorPath(t *testing.T) {
	one, err := Parse([]string{"--storage-path=/data/one"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Parse([]string{"--storage-path=/data/two"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if one.MirrorPath == two.MirrorPath || one.MirrorPath == "" {
		t.Errorf("two processes share the mirrors in %s", one.MirrorPath)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		reason string
		args   []string
	}{
		"unknown flag":       {"a typing error must not be ignored", []string{"--storage-paht=/x"}},
		"argument":           {"same", []string{"/data"}},
		"mirrors served":     {"the storage folder is public", []string{"--storage-path=/data", "--git-mirror-path=/data/git"}},
		"mirrors are served": {"same folder", []string{"--storage-path=/data", "--git-mirror-path=/data"}},
		"no worker":          {"nothing would happen", []string{"--concurrent=0"}},
		"jitter":             {"an interval must stay positive", []string{"--interval-jitter-percentage=100"}},
		"unknown bytes":      {"nothing agrees with it", []string{"--artifact-compat=zip"}},
		"unknown client":     {"a typing error must not choose", []string{"--git-client=libgit2"}},
		"negative tokens":    {"no cache is that small", []string{"--token-cache-max-size=-1"}},
		"mirrors kept never": {"each pass would start over", []string{"--git-mirror-ttl=0"}},
		"no namespace":       {"nothing to watch", []string{"--watch-all-namespaces=false"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(tc.args, nil); err == nil {
				t.Errorf("%v is accepted, but %s", tc.args, tc.reason)
			}
		})
	}
}

func TestHelpAndKubeconfig(t *testing.T) {
	if _, err := Parse([]string{"--help"}, nil); !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("got %v, want pflag.ErrHelp", err)
	}
	if _, err := Parse([]string{"--kubeconfig=" + strings.Repeat("x", 3)}, nil); err != nil {
		t.Errorf("--kubeconfig is refused: %v", err)
	}
}
