// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func TestOf(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	cases := map[string]struct {
		reason string
		text   string
		want   Aim
	}{
		"hpa": {
			"replicas", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
			Aim{Target: web, Owned: Replicas, Scaler: "HorizontalPodAutoscaler h"},
		},
		"keda": {
			"apiVersion and kind may be left out, other fields may be no text", "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: s, namespace: shop}\nspec: {scaleTargetRef: {name: web, envSourceContainerName: c, x: 5}}",
			Aim{Target: web, Owned: Replicas, Scaler: "ScaledObject s"},
		},
		"vpa": {
			"resources", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v, namespace: shop}\nspec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
			Aim{Target: web, Owned: Resources, Scaler: "VerticalPodAutoscaler v"},
		},
		"vpa off":   {"it only recommends", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v, namespace: shop}\nspec: {updatePolicy: {updateMode: \"Off\"}, targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}", Aim{}},
		"no target": {"nothing is owned", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\nspec: {}", Aim{}},
		"other":     {"no autoscaler", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}", Aim{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all, err := manifest.Decode("f", []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := Of(all[0].Unstructured)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != (tc.want != Aim{}) {
				t.Errorf("%s: %t (-want +got):\n%s", tc.reason, ok, diff)
			}
		})
	}
}
