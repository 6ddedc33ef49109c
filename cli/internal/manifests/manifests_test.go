// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func titles(objects []*unstructured.Unstructured) []string {
	var all []string
	for _, u := range objects {
		all = append(all, u.GetKind()+"/"+u.GetName())
	}
	return all
}

func TestRender(t *testing.T) {
	tests := map[string]struct {
		reason    string
		change    func(*Options)
		has, lack []string
		text      []string
		refused   bool
	}{
		"all": {
			reason: "every controller, with what guards it", change: func(*Options) {},
			has:  []string{"Deployment/source-controller", "Deployment/drift-controller", "PodDisruptionBudget/drift-controller", "ValidatingAdmissionPolicy/holdfast-observers", "CustomResourceDefinition/gitrepositories.source.toolkit.fluxcd.io"},
			text: []string{"image: ghcr.io/holdfast-gitops/drift-controller:", "source-controller.$(RUNTIME_NAMESPACE).svc.cluster.local."},
		},
		"beside Flux": {
			reason: "Flux's kinds and its source-controller are Flux's",
			change: func(o *Options) { o.Components = []string{Drift, Secrets} },
			has:    []string{"Deployment/drift-controller", "NetworkPolicy/holdfast-reads-artifacts"},
			lack:   []string{"Deployment/source-controller", "Service/source-controller", "ClusterRole/holdfast-source-controller", "CustomResourceDefinition/gitrepositories.source.toolkit.fluxcd.io", "PodDisruptionBudget/source-controller"},
		},
		"without secrets": {
			reason: "the right on the names of Secrets goes with its user",
			change: func(o *Options) { o.Components = []string{Source, Drift} },
			lack:   []string{"Deployment/secrets-controller", "ClusterRoleBinding/holdfast-secret-names"},
		},
		"flags": {
			reason: "all of them reach the Deployments",
			change: func(o *Options) {
				o.Registry, o.Tag, o.ImagePullSecret, o.NetworkPolicy = "registry.example/team/", "v9", "pull", false
				o.ClusterDomain, o.TolerationKeys, o.EventsAddr = "corp.example", []string{"dedicated"}, "http://events/"
				o.Memory = map[string]string{Source: "3Gi"}
			},
			lack: []string{"NetworkPolicy/drift-controller"},
			text: []string{"image: registry.example/team/drift-controller:v9", "name: pull", ".svc.corp.example.", "key: dedicated", "--events-addr=http://events/", "memory: 3Gi"},
		},
		"Flux's kinds kept":  {reason: "not downgraded", change: func(o *Options) { o.KeepSourceKinds = true }, has: []string{"Deployment/source-controller"}, lack: []string{"CustomResourceDefinition/ocirepositories.source.toolkit.fluxcd.io"}},
		"no such controller": {reason: "named before anything is done", change: func(o *Options) { o.Components = []string{"kustomize-controller"} }, refused: true},
		"no quantity":        {reason: "a limit that the server would refuse", change: func(o *Options) { o.Memory = map[string]string{Source: "much"} }, refused: true},
		"hostile registry":   {reason: "no text that breaks out of its field", change: func(o *Options) { o.Registry = "x\nkind: Pod" }, refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := Defaults()
			tc.change(&o)
			objects, err := Render(o)
			if (err != nil) != tc.refused {
				t.Fatalf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
			all := titles(objects)
			for _, want := range tc.has {
				if !slices.Contains(all, want) {
					t.Errorf("%s: no %s in %v", tc.reason, want, all)
				}
			}
			for _, never := range tc.lack {
				if slices.Contains(all, never) {
					t.Errorf("%s: %s is in it", tc.reason, never)
				}
			}
			text, err := YAML(objects)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.text {
				if !strings.Contains(string(text), want) {
					t.Errorf("%s: no %q in the manifests", tc.reason, want)
				}
			}
		})
	}
}

// TestHardened: no Deployment asks for more than the restricted profile gives.
func TestHardened(t *testing.T) {
	objects, err := Render(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range objects {
		if u.GetKind() != "Deployment" {
			continue
		}
		text, err := YAML([]*unstructured.Unstructured{u})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"runAsNonRoot: true", "readOnlyRootFilesystem: true", "type: RuntimeDefault", "allowPrivilegeEscalation: false",
			"- ALL", "livenessProbe:", "readinessProbe:", "limits:", "requests:",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("Deployment %s lacks %q", u.GetName(), want)
			}
		}
	}
}
