// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func routes(group, kind, by string) Aim {
	return Aim{Target: manifest.ID{Group: group, Kind: kind, Namespace: "shop", Name: "web"}, Owned: Routes, Scaler: by}
}

func TestOf(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	cases := map[string]struct {
		reason string
		text   string
		want   []Aim
	}{
		"hpa": {
			"replicas", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
			[]Aim{{Target: web, Owned: Replicas, Scaler: "HorizontalPodAutoscaler h"}},
		},
		"keda": {
			"apiVersion and kind may be left out, other fields may be no text", "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: s, namespace: shop}\nspec: {scaleTargetRef: {name: web, envSourceContainerName: c, x: 5}}",
			[]Aim{{Target: web, Owned: Replicas, Scaler: "ScaledObject s"}},
		},
		"vpa": {
			"resources", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v, namespace: shop}\nspec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
			[]Aim{{Target: web, Owned: Resources, Scaler: "VerticalPodAutoscaler v"}},
		},
		"rollout": {
			"the Services and routes that it names", "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r, namespace: shop}\nspec: {strategy: {canary: {stableService: web, trafficRouting: {istio: {virtualServices: [{name: web}, {}]}, plugins: {argoproj-labs/gatewayAPI: {httpRoute: web}}}}}}",
			[]Aim{routes("", "Service", "Rollout r"), routes("networking.istio.io", "VirtualService", "Rollout r"), routes("gateway.networking.k8s.io", "HTTPRoute", "Rollout r")},
		},
		"rollout in the place of a Deployment": {
			"it scales that down", "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r, namespace: shop}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web, scaleDown: onsuccess}}",
			[]Aim{{Target: web, Owned: Replicas, Scaler: "Rollout r"}},
		},
		"rollout beside a Deployment": {"it is not told to scale it", "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r, namespace: shop}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}", nil},
		"canary": {
			"Flagger owns replicas and Service of its target", "apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: {name: c, namespace: shop}\nspec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
			[]Aim{{Target: web, Owned: Replicas, Scaler: "Canary c"}, routes("", "Service", "Canary c"), routes("networking.istio.io", "VirtualService", "Canary c"), routes("gateway.networking.k8s.io", "HTTPRoute", "Canary c")},
		},
		"vpa off":   {"it only recommends", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v, namespace: shop}\nspec: {updatePolicy: {updateMode: \"Off\"}, targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}", nil},
		"no target": {"nothing is owned", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\nspec: {}", nil},
		"other":     {"no autoscaler", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all, err := manifest.Decode("f", []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, Of(all[0].Unstructured)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
