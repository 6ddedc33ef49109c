// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

func TestValues(t *testing.T) {
	value := func(json string) *v1alpha1.Value { return &v1alpha1.Value{JSON: json} }
	secret := func(json string) *v1alpha1.Value { return &v1alpha1.Value{JSON: json, Masked: true} }
	tests := map[string]struct {
		reason       string
		wanted, live *v1alpha1.Value
		width        int
		git, cluster string
	}{
		"text":  {reason: "quotes would be noise", wanted: value(`"a"`), live: value(`"b"`), git: "a", cluster: "b"},
		"type":  {reason: "the quotes are the difference", wanted: value(`"1"`), live: value("1"), git: `"1"`, cluster: "1"},
		"blank": {reason: "a trailing blank must be seen", wanted: value(`"a"`), live: value(`"a "`), git: "a", cluster: `"a "`},
		"empty": {reason: "nothing would look like absence", wanted: value(`""`), git: `""`, cluster: notLive},
		"added": {reason: "Git is silent", live: value(`{"a": 1}`), git: notDeclared, cluster: `{"a":1}`},
		"lines": {reason: "the first line that differs", wanted: value(`"a\nb\nc"`), live: value(`"a\nx\nc"`), git: "line 2: b", cluster: "line 2: x"},
		"one line more": {
			reason: "a file that ends before", wanted: value(`"a\nb"`), live: value(`"a"`),
			git: "line 2: b", cluster: "(ends before)",
		},
		"cut by the controller": {
			reason: "its line numbers", wanted: &v1alpha1.Value{JSON: `"x"`, Line: 9}, live: &v1alpha1.Value{JSON: `"y"`, Line: 9},
			git: "line 9: x", cluster: "line 9: y",
		},
		"long": {
			reason: "the place where they part is what counts", width: 20,
			wanted: value(`"0123456789012345678901234567890123456789A"`), live: value(`"0123456789012345678901234567890123456789B"`),
			git: "…890123456789A", cluster: "…890123456789B",
		},
		"half a secret": {
			reason: "the host of a URL is none", wanted: secret(`"db://u:(masked 00112233)@a"`), live: secret(`"db://u:(masked 00112233)@b"`),
			git: "db://u:(masked 0011…)@a", cluster: "db://u:(masked 0011…)@b",
		},
		"opposite of a secret": {
			reason: "a value that somebody put in a secret's place is one too", wanted: secret(`"(masked 00112233)"`), live: value(`"hunter2"`),
			git: "(masked 0011…)", cluster: "(masked)",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.width == 0 {
				tc.width = 60
			}
			git, cluster := values(tc.wanted, tc.live, tc.width)
			if git != tc.git || cluster != tc.cluster {
				t.Errorf("%s: got %q and %q, want %q and %q", tc.reason, git, cluster, tc.git, tc.cluster)
			}
		})
	}
}

func TestPodsLine(t *testing.T) {
	reader := func(name, how string, before, pods int32) v1alpha1.Consumer {
		return v1alpha1.Consumer{Kind: "Deployment", Name: name, How: how, PodsBefore: before, Pods: pods}
	}
	tests := map[string]struct {
		reason    string
		consumers []v1alpha1.Consumer
		want      string
	}{
		"nobody":      {reason: "no line"},
		"volume only": {reason: "mounted files follow by themselves", consumers: []v1alpha1.Consumer{reader("a", "volume", 3, 3)}},
		"all old": {
			reason: "the incident: it strikes at the next restart", consumers: []v1alpha1.Consumer{reader("a", "envFrom", 3, 3)},
			want: "pods started before this change: 3 of 3, so they run on the value before it; the next restart will change HOST for Deployment a",
		},
		"twice": {
			reason: "a workload that reads it in two ways has its pods once", consumers: []v1alpha1.Consumer{reader("a", "envFrom", 0, 3), reader("a", "env", 0, 3)},
			want: "pods started before this change: 0 of 3, so they run on the live value; a sync would change it at their next restart",
		},
		"mixed": {
			reason: "two values run at once", consumers: []v1alpha1.Consumer{reader("a", "env", 1, 2), reader("b", "env", 0, 2)},
			want: "pods started before this change: 1 of 4, so those run on the value before it and the others on the live value; the next restart will change HOST for Deployment a",
		},
		"not listed": {
			reason: "not known is not none", consumers: []v1alpha1.Consumer{reader("a", "env", -1, 0)},
			want: "whether the pods of Deployment a started before it is not known",
		},
		"a job beside": {
			reason:    "nobody counts the pods of a CronJob",
			consumers: []v1alpha1.Consumer{reader("a", "env", 2, 2), {Kind: "CronJob", Name: "b", How: "env", PodsBefore: -1}},
			want:      "pods started before this change: 2 of 2, so they run on the value before it; the next restart will change HOST for Deployment a",
		},
		"two workloads": {
			reason: "each is named", consumers: []v1alpha1.Consumer{reader("a", "env", 2, 2), reader("b", "envFrom", 1, 1)},
			want: "pods started before this change: 3 of 3, so they run on the value before it; the next restart will change HOST for Deployment a and Deployment b",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := podsLine(&v1alpha1.DriftEntry{Path: "/data/HOST", Consumers: tc.consumers}); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
