// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package marks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTracked(t *testing.T) {
	type meta = metav1.ObjectMeta
	cases := map[string]struct {
		reason string
		meta   meta
		want   []string
	}{
		"nothing":    {"no mark", meta{}, nil},
		"helm":       {"by annotation", meta{Annotations: map[string]string{"meta.helm.sh/release-name": "shop"}}, []string{"Helm release shop"}},
		"argo":       {"the name stands before the first colon", meta{Annotations: map[string]string{"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:users/web"}}, []string{"Argo CD application shop"}},
		"argo label": {"the older way", meta{Labels: map[string]string{"argocd.argoproj.io/instance": "shop"}}, []string{"Argo CD application shop"}},
		"flux":       {"two may claim one object", meta{Labels: map[string]string{"kustomize.toolkit.fluxcd.io/name": "apps", "helm.toolkit.fluxcd.io/name": "shop"}}, []string{"Flux HelmRelease shop", "Flux Kustomization apps"}},
		"argo common": {"Argo CD wrote the common label", meta{
			Labels:        map[string]string{"app.kubernetes.io/instance": "shop"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "argocd-controller"}},
		}, []string{"Argo CD application shop"}},
		"charts": {"charts set the common label themselves", meta{Labels: map[string]string{"app.kubernetes.io/instance": "shop"}}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Tracked(&tc.meta)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRelease(t *testing.T) {
	obj := &metav1.ObjectMeta{Namespace: "users", Annotations: map[string]string{"meta.helm.sh/release-name": "shop"}}
	if namespace, name := Release(obj); namespace != "users" || name != "shop" {
		t.Errorf("without a release namespace: got %s/%s, want that of the object", namespace, name)
	}
	obj.Annotations["meta.helm.sh/release-namespace"] = "tools"
	if namespace, _ := Release(obj); namespace != "tools" {
		t.Errorf("got namespace %s, want tools", namespace)
	}
}
