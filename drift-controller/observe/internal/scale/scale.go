// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Owned is what an autoscaler owns of its target.
type Owned string

// What autoscalers and progressive deliveries own.
const (
	Replicas  Owned = "Replicas"
	Resources Owned = "Resources"
	Routes    Owned = "Routes" // which pods a Service selects, and how traffic is split
)

// Kinds of autoscalers and progressive deliveries, in the version that is read.
// All but the first exist only where somebody installed them.
var Kinds = []schema.GroupVersionKind{
	{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"},
	{Group: "keda.sh", Version: "v1alpha1", Kind: "ScaledObject"},
	{Group: "autoscaling.k8s.io", Version: "v1", Kind: "VerticalPodAutoscaler"},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"},
	{Group: "flagger.app", Version: "v1beta1", Kind: "Canary"},
}

// Aim is one autoscaler's claim on one object.
type Aim struct {
	Target manifest.ID
	Owned  Owned
	Scaler string // "HorizontalPodAutoscaler web"
}

// Of reads the aims of an object; none if it is nothing that acts on others.
func Of(obj *unstructured.Unstructured) []Aim {
	switch obj.GroupVersionKind().GroupKind().String() {
	case "Rollout.argoproj.io":
		return ofRollout(obj)
	case "Canary.flagger.app":
		return ofCanary(obj)
	}
	if one, ok := ofAutoscaler(obj); ok {
		return []Aim{one}
	}
	return nil
}

func ofAutoscaler(obj *unstructured.Unstructured) (Aim, bool) {
	switch obj.GroupVersionKind().GroupKind().String() {
	case "HorizontalPodAutoscaler.autoscaling":
		return aim(obj, "scaleTargetRef", Replicas, schema.GroupVersionKind{Version: "v1"})
	case "ScaledObject.keda.sh":
		return aim(obj, "scaleTargetRef", Replicas, deployment)
	case "VerticalPodAutoscaler.autoscaling.k8s.io":
		mode, _, _ := unstructured.NestedString(obj.Object, "spec", "updatePolicy", "updateMode")
		if mode == "Off" {
			return Aim{}, false // it only recommends
		}
		return aim(obj, "targetRef", Resources, schema.GroupVersionKind{Version: "v1"})
	}
	return Aim{}, false
}

// aim reads a reference; what it leaves out is usual for the kind.
func aim(obj *unstructured.Unstructured, field string, owned Owned, usual schema.GroupVersionKind) (Aim, bool) {
	text := func(name, otherwise string) string {
		s, _, _ := unstructured.NestedString(obj.Object, "spec", field, name)
		return cmp.Or(s, otherwise)
	}
	gv, err := schema.ParseGroupVersion(text("apiVersion", usual.GroupVersion().String()))
	target := manifest.ID{
		Group: gv.Group, Kind: text("kind", usual.Kind), Namespace: obj.GetNamespace(), Name: text("name", ""),
	}
	if err != nil || target.Name == "" || target.Kind == "" {
		return Aim{}, false
	}
	return Aim{Target: target, Owned: owned, Scaler: obj.GetKind() + " " + obj.GetName()}, true
}

// Possible says whether somebody can scale, size or route the object.
func Possible(obj *unstructured.Unstructured) bool {
	switch obj.GetKind() {
	case "Service", "VirtualService", "DestinationRule", "HTTPRoute", "TrafficSplit":
		return true
	case "CustomResourceDefinition":
		return false
	}
	gk := obj.GroupVersionKind().GroupKind()
	spec, _ := obj.Object["spec"].(map[string]any)
	// A custom resource may call its replicas anything.
	return spec["replicas"] != nil || spec["template"] != nil || spec != nil && strings.Contains(gk.Group, ".") && !strings.HasSuffix(gk.Group, ".k8s.io")
}
