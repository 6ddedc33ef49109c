// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

var deployment = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}

// The kinds that progressive deliveries write to.
var (
	service         = schema.GroupKind{Kind: "Service"}
	virtualService  = schema.GroupKind{Group: "networking.istio.io", Kind: "VirtualService"}
	destinationRule = schema.GroupKind{Group: "networking.istio.io", Kind: "DestinationRule"}
	httpRoute       = schema.GroupKind{Group: "gateway.networking.k8s.io", Kind: "HTTPRoute"}
)

// ofRollout: Argo Rollouts narrows the selectors of the Services that a Rollout
// names to one of its versions, splits traffic in the routes that it names, and
// scales a Deployment whose place it takes down, if told to.
func ofRollout(obj *unstructured.Unstructured) []Aim {
	var all []Aim
	if mode := text(obj, "spec", "workloadRef", "scaleDown"); mode == "onsuccess" || mode == "progressively" {
		if one, ok := aim(obj, "workloadRef", Replicas, deployment); ok {
			all = append(all, one)
		}
	}
	for _, path := range [][]string{
		{"canary", "stableService"}, {"canary", "canaryService"},
		{"blueGreen", "activeService"}, {"blueGreen", "previewService"},
	} {
		all = route(all, obj, service, text(obj, slices.Concat([]string{"spec", "strategy"}, path)...))
	}
	traffic := []string{"spec", "strategy", "canary", "trafficRouting"}
	under := func(path ...string) string { return text(obj, slices.Concat(traffic, path)...) }
	all = route(all, obj, virtualService, under("istio", "virtualService", "name"))
	all = route(all, obj, destinationRule, under("istio", "destinationRule", "name"))
	several, _, _ := unstructured.NestedSlice(obj.Object, slices.Concat(traffic, []string{"istio", "virtualServices"})...)
	for _, item := range several {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		all = route(all, obj, virtualService, name)
	}
	return route(all, obj, httpRoute, under("plugins", "argoproj-labs/gatewayAPI", "httpRoute"))
}

// ofCanary: Flagger scales the target down to zero, points the Service of its
// name at the copy that it runs instead, and makes the routes itself.
func ofCanary(obj *unstructured.Unstructured) []Aim {
	target, ok := aim(obj, "targetRef", Replicas, deployment)
	if !ok {
		return nil
	}
	name := text(obj, "spec", "service", "name")
	if name == "" {
		name = target.Target.Name
	}
	all := []Aim{target}
	for _, kind := range []schema.GroupKind{service, virtualService, httpRoute} {
		all = route(all, obj, kind, name)
	}
	return all
}

func route(all []Aim, obj *unstructured.Unstructured, kind schema.GroupKind, name string) []Aim {
	if name == "" {
		return all
	}
	return append(all, Aim{
		Target: manifest.ID{Group: kind.Group, Kind: kind.Kind, Namespace: obj.GetNamespace(), Name: name},
		Owned:  Routes, Scaler: obj.GetKind() + " " + obj.GetName(),
	})
}

func text(obj *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(obj.Object, path...)
	return s
}
