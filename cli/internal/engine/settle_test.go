// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var settings = v1alpha1.ObjectReference{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "env"}

// edited is an entry whose class blames a writer.
func edited(path string, class v1alpha1.Class) v1alpha1.DriftEntry {
	return v1alpha1.DriftEntry{Object: settings, Path: path, Class: class, Drift: true, Wanted: &v1alpha1.Value{JSON: "1"}}
}

// published is what the controller knew: one object, judged, with entries.
func published(verdict v1alpha1.Verdict, validUntil time.Time, entries ...v1alpha1.DriftEntry) Input {
	return Input{
		Application: &v1alpha1.Application{Status: v1alpha1.ApplicationStatus{
			Compared: &v1alpha1.Compared{Revision: "main@sha1:abc", Time: metav1.NewTime(noon), ValidUntil: metav1.NewTime(validUntil)},
		}},
		Pages:     []v1alpha1.DriftReport{{Status: v1alpha1.DriftReportStatus{Entries: entries}}},
		Inventory: []v1alpha1.Inventory{{Status: v1alpha1.InventoryStatus{Objects: []v1alpha1.InventoryEntry{{Object: settings, Verdict: verdict}}}}},
		Now:       noon,
	}
}

func TestSettle(t *testing.T) {
	later := noon.Add(time.Hour)
	undeclared := edited("/data/A", v1alpha1.ClassManual)
	undeclared.Wanted = nil
	truncated := published(v1alpha1.VerdictInSync, later)
	truncated.Pages[0].Status.Truncated = 1
	tests := map[string]struct {
		reason string
		in     Input
		entry  v1alpha1.DriftEntry
		want   v1alpha1.Class
	}{
		"in sync before": {
			reason: "kubectl applied what Git said; the commit is what changes, and nobody's edit is lost",
			in:     published(v1alpha1.VerdictInSync, later), entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassPending,
		},
		"deployer in sync before": {
			reason: "Helm's value was Git's value",
			in:     published(v1alpha1.VerdictInSync, later), entry: edited("/data/A", v1alpha1.ClassContested), want: v1alpha1.ClassPending,
		},
		"edited before": {
			reason: "the edit is known, and the commit would overwrite it",
			in:     published(v1alpha1.VerdictDrifted, later, edited("/data/A", v1alpha1.ClassManual)), entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassManual,
		},
		"another field edited": {
			reason: "the verdict is per path",
			in:     published(v1alpha1.VerdictDrifted, later, edited("/data/AB", v1alpha1.ClassManual)), entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassPending,
		},
		"edited below": {
			reason: "an edit within what the commit sets is lost as well",
			in:     published(v1alpha1.VerdictDrifted, later, edited("/data/A/b", v1alpha1.ClassManual)), entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassManual,
		},
		"unknown before": {
			reason: "nobody compared, so nothing is known",
			in:     published(v1alpha1.VerdictUnknown, later), entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassManual,
		},
		"expired": {
			reason: "an old verdict proves nothing about live now",
			in:     published(v1alpha1.VerdictInSync, noon.Add(-time.Hour)), entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassManual,
		},
		"truncated report": {
			reason: "the entry may be among those that did not fit",
			in:     truncated, entry: edited("/data/A", v1alpha1.ClassManual), want: v1alpha1.ClassManual,
		},
		"not declared": {
			reason: "what Git does not declare, no commit sets",
			in:     published(v1alpha1.VerdictInSync, later), entry: undeclared, want: v1alpha1.ClassManual,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := settle(tc.in, []v1alpha1.DriftEntry{tc.entry})
			if got[0].Class != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got[0].Class, tc.want)
			}
		})
	}
}

func TestNameOf(t *testing.T) {
	tests := map[string]struct{ reason, pointer, want string }{
		"a key":      {"of a ConfigMap", "/data/DB_HOST", "DB_HOST"},
		"a variable": {"it stands under its item's name", "/spec/template/spec/containers/[name=api]/env/[name=PGSSLMODE]/value", "PGSSLMODE"},
		"an item":    {"the whole variable", "/spec/template/spec/containers/[name=api]/env/[name=PGSSLMODE]", "PGSSLMODE"},
		"the object": {"no name at all", "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := nameOf(tc.pointer); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
