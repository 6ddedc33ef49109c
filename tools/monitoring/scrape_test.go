// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// podMonitor is what decides whether a series arrives under the name that the
// rules use.
type podMonitor struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		JobLabel string `json:"jobLabel"`
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"selector"`
		Endpoints []struct {
			Port        string `json:"port"`
			HonorLabels bool   `json:"honorLabels"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

// TestPodMonitors: each selects the pods of config/manager, names the job that
// the rules look for, and keeps the namespace that a series is about.
func TestPodMonitors(t *testing.T) {
	var names []string
	for document := range strings.SplitSeq(string(read(t, "pod-monitors.yaml")), "\n---\n") {
		var m podMonitor
		if err := yaml.Unmarshal([]byte(document), &m); err != nil {
			t.Fatal(err)
		}
		names = append(names, m.Metadata.Name)
		const label = "app.kubernetes.io/name"
		if m.Spec.JobLabel != label || m.Spec.Selector.MatchLabels[label] != m.Metadata.Name {
			t.Errorf("%s: the job of up is the label %s, and the pods are chosen by it", m.Metadata.Name, label)
		}
		pods := string(read(t, "../manager/"+m.Metadata.Name+".yaml"))
		for _, e := range m.Spec.Endpoints {
			if !strings.Contains(pods, "name: "+e.Port+"\n") {
				t.Errorf("%s: its pods have no port %s", m.Metadata.Name, e.Port)
			}
			if !e.HonorLabels {
				t.Errorf("%s: without honorLabels the Application's namespace is lost to the pod's", m.Metadata.Name)
			}
		}
		if len(m.Spec.Endpoints) == 0 {
			t.Errorf("%s scrapes nothing", m.Metadata.Name)
		}
	}
	if want := []string{"source-controller", "drift-controller", "secrets-controller"}; !slices.Equal(names, want) {
		t.Errorf("got PodMonitors %v, want %v", names, want)
	}
}
