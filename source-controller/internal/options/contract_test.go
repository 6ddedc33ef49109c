// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fluxFlags are all flags of Flux's binary with a value other than the default.
var fluxFlags = []string{
	"--metrics-addr=:1", "--health-addr=:2", "--events-addr=http://events", "--concurrent=4", "--requeue-dependency=5s",
	"--storage-path=/x", "--storage-addr=:3", "--storage-adv-addr=host", "--artifact-retention-ttl=2m",
	"--artifact-retention-records=3", "--artifact-digest-algo=sha512",
	"--ssh-kex-algos=curve25519-sha256,ecdh-sha2-nistp256", "--ssh-hostkey-algos=ssh-ed25519",
	"--default-service-account=puller", "--helm-index-max-size=1", "--helm-chart-max-size=1", "--helm-chart-file-max-size=1",
	"--helm-cache-max-size=1", "--helm-cache-ttl=1m", "--helm-cache-purge-interval=1m",
	"--log-level=debug", "--log-encoding=console",
	"--leader-election-lease-duration=35s", "--leader-election-renew-deadline=30s", "--leader-election-retry-period=5s",
	"--leader-election-release-on-cancel=false", "--enable-leader-election",
	"--min-retry-delay=1s", "--max-retry-delay=1m", "--interval-jitter-percentage=10",
	"--kube-api-qps=10", "--kube-api-burst=20",
	"--watch-all-namespaces=true", "--watch-label-selector=a=b", "--watch-configs-label-selector=c=d",
	"--token-cache-max-size=7", "--token-cache-max-duration=10m",
	"--feature-gates=CacheSecretsAndConfigMaps=true,ObjectLevelWorkloadIdentity=true",
}

func TestEveryFlagOfFlux(t *testing.T) {
	o, err := Parse(fluxFlags, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		Gates:                 Gates{CacheSecrets: true, ObjectLevelWorkloadIdentity: true},
		SSH:                   SSH{KexAlgorithms: []string{"curve25519-sha256", "ecdh-sha2-nistp256"}, HostKeyAlgorithms: []string{"ssh-ed25519"}},
		TokenCache:            TokenCache{MaxSize: 7, MaxDuration: 10 * time.Minute},
		DefaultServiceAccount: "puller",
		ArtifactCompat:        CompatTar,
	}
	got := Options{Gates: o.Gates, SSH: o.SSH, TokenCache: o.TokenCache, DefaultServiceAccount: o.DefaultServiceAccount, ArtifactCompat: o.ArtifactCompat}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestGates(t *testing.T) {
	tests := map[string]struct {
		reason string
		flag   string
		want   Gates
		fails  bool
	}{
		"none":     {"all are off", "", Gates{}, false},
		"off":      {"a gate may be turned off in words", "CacheSecretsAndConfigMaps=false", Gates{}, false},
		"one":      {"each for itself", "ObjectLevelWorkloadIdentity=true", Gates{ObjectLevelWorkloadIdentity: true}, false},
		"unknown":  {"a feature that does not exist cannot be on", "TimeTravel=true", Gates{}, true},
		"also off": {"nor off", "TimeTravel=false", Gates{}, true},
		"no value": {"half a gate", "CacheSecretsAndConfigMaps", Gates{}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var args []string
			if tc.flag != "" {
				args = []string{"--feature-gates=" + tc.flag}
			}
			o, err := Parse(args, nil)
			if (err != nil) != tc.fails || o.Gates != tc.want {
				t.Errorf("got %+v, %v; want %+v, failure %t: %s", o.Gates, err, tc.want, tc.fails, tc.reason)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	for name, value := range map[string]string{"STORAGE_PATH": "/kept", "STORAGE_ADDRESS": ":7", "STORAGE_ADV_ADDR": "a.example."} {
		t.Setenv(name, value)
	}
	o, err := Parse(nil, []string{"METRICS_ADDR=:8", "EVENTS_ADDR=http://e"})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{o.Artifact.StoragePath, o.Artifact.StorageAddress, o.Artifact.StorageAdvAddress, o.MetricsAddr, o.EventsAddr}
	if diff := cmp.Diff([]string{"/kept", ":7", "a.example.", ":8", "http://e"}, got); diff != "" {
		t.Errorf("settings from the environment (-want +got):\n%s", diff)
	}
}
