// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// TestColumns: kubectl get alone answers what, where, who, since when and what
// happens next. The columns of -o wide (priority 1) stand in brackets.
func TestColumns(t *testing.T) {
	c := installed(t)
	client, err := discovery.NewDiscoveryClientForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{
		"drift.holdfast.dev/v1alpha1/applications": {
			"Name", "Stage", "Synced", "Healthy", "Drift", "Missing", "Unknown", "Strays", "Held By", "Revision", "Age", "[Ready]", "[Message]",
		},
		"drift.holdfast.dev/v1alpha1/driftreports": {
			"Name", "Application", "Entries", "Drift", "What", "Where", "Class", "Who", "Since", "Next",
		},
		"drift.holdfast.dev/v1alpha1/inventories":   {"Name", "Application", "Objects", "Age"},
		"drift.holdfast.dev/v1alpha1/projects":      {"Name", "Max Stage", "Age"},
		"drift.holdfast.dev/v1alpha1/stagerollouts": {"Name", "Target", "Applications", "At Target", "Wave", "Ready", "Age"},
		"drift.holdfast.dev/v1alpha1/approvals":     {"Name", "Application", "Plan", "By", "Until", "Reason"},
		"drift.holdfast.dev/v1alpha1/breakglasses":  {"Name", "Application", "Until", "Phase", "In Git", "Not In Git", "Reason"},
		"secrets.holdfast.dev/v1alpha1/secretreports": {
			"Name", "Application", "Declaration", "Readiness", "Errors", "Warnings", "Unknown", "First", "[Revision]", "Age",
		},
		"secrets.holdfast.dev/v1alpha1/secretpolicies": {"Name", "Age"},
		"source.toolkit.fluxcd.io/v1/gitrepositories":  {"Name", "URL", "Age", "Ready", "Status"},
		"source.toolkit.fluxcd.io/v1/ocirepositories":  {"Name", "URL", "Ready", "Status", "Age"},
	}
	for resource, want := range tests {
		t.Run(resource, func(t *testing.T) {
			raw, err := client.RESTClient().Get().AbsPath("/apis/"+resource).
				SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var table metav1.Table
			if err := json.Unmarshal(raw, &table); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, column := range table.ColumnDefinitions {
				name := column.Name
				if column.Priority > 0 {
					name = "[" + name + "]"
				}
				got = append(got, name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("columns of kubectl get (-want +got):\n%s", diff)
			}
		})
	}
}
