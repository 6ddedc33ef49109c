// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// TestReplaced: the form of a replacement has no surplus to take out, and what
// the creator owns in it is a default.
func TestReplaced(t *testing.T) {
	s := sample{
		precision: drift.PrecisionInPlace, desired: service + "spec: {selector: {app: a}}\n",
		writes: []write{{manager: "kubectl-create", object: service + "spec: {ipFamilyPolicy: SingleStack, selector: {app: a}}\n"}},
	}
	in := s.input(t)
	r, err := Fields(in)
	if err != nil || len(r.Uncertain) != 1 {
		t.Fatalf("an apply over live cannot tell the default: %v, %v", r.Uncertain, err)
	}
	in.Observation.Replaced = true
	if r, err = Fields(in); err != nil || len(r.Uncertain) != 0 {
		t.Errorf("a replacement can: %v, %v", r.Uncertain, err)
	}
}

// TestOwnerless: two values of which a write leaves no owner, and which are
// never defaults.
func TestOwnerless(t *testing.T) {
	cases := map[string]struct {
		sample
		want []string
	}{
		"scaled":   {sample{reason: "nobody is booked", desired: podSpec("", ""), writes: []write{helm(podSpec("", ""))}, overLive: "spec: {replicas: 5}"}, []string{"Added /spec/replicas live=5"}},
		"default":  {sample{reason: "one is the default", desired: podSpec("", ""), writes: []write{helm(podSpec("", ""))}, overLive: "spec: {replicas: 1}"}, nil},
		"headless": {sample{reason: "no server allocates None", desired: service, writes: []write{helm(service)}, overLive: "spec: {clusterIP: None}"}, []string{`Added /spec/clusterIP live="None"`}},
		"address":  {sample{reason: "the server allocates addresses", desired: service, writes: []write{helm(service)}, overLive: "spec: {clusterIP: 10.0.0.1}"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.precision = drift.PrecisionDeclaredFields
			r, err := Fields(tc.input(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, listed(r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReleaseTellsSettingsFromDefaults: Helm owns what the server filled in
// while it created the object; its record says which of that it asked for.
func TestReleaseTellsSettingsFromDefaults(t *testing.T) {
	s := sample{
		precision: drift.PrecisionDeclaredFields, desired: podSpec("", ""),
		writes: []write{helm(podSpec(", imagePullPolicy: IfNotPresent, workingDir: /srv", ""))},
	}
	in := s.input(t)
	in.Observation.Evidence.Earlier = []*unstructured.Unstructured{object(t, podSpec(", workingDir: /srv", ""))}
	r, err := Fields(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`Added /spec/template/spec/containers/[name=api]/workingDir live="/srv"`}
	if diff := cmp.Diff(want, listed(r)); diff != "" || len(r.Uncertain) > 0 {
		t.Errorf("(-want +got):\n%s\nuncertain: %v", diff, r.Uncertain)
	}
}
