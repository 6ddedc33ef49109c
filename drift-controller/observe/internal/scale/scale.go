// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Owned is what an autoscaler owns of its target.
type Owned string

// The two kinds of autoscaling.
const (
	Replicas  Owned = "Replicas"
	Resources Owned = "Resources"
)

// Kinds of autoscalers, in the version that is read. The last two exist only
// where somebody installed them.
var Kinds = []schema.GroupVersionKind{
	{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"},
	{Group: "keda.sh", Version: "v1alpha1", Kind: "ScaledObject"},
	{Group: "autoscaling.k8s.io", Version: "v1", Kind: "VerticalPodAutoscaler"},
}

// Aim is one autoscaler's claim on one object.
type Aim struct {
	Target manifest.ID
	Owned  Owned
	Scaler string // "HorizontalPodAutoscaler web"
}

// Of reads the aim of an object; false if it is no autoscaler that acts.
func Of(obj *unstructured.Unstructured) (Aim, bool) {
	switch obj.GroupVersionKind().GroupKind().String() {
	case "HorizontalPodAutoscaler.autoscaling":
		return aim(obj, "scaleTargetRef", Replicas, schema.GroupVersionKind{Version: "v1"})
	case "ScaledObject.keda.sh":
		return aim(obj, "scaleTargetRef", Replicas, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
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

// Possible says whether somebody can scale or size the object.
func Possible(obj *unstructured.Unstructured) bool {
	spec, _ := obj.Object["spec"].(map[string]any)
	return spec["replicas"] != nil || spec["template"] != nil
}
