// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

var (
	key  = mask.Key("key of the property tests")
	noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// eye looks at objects as the product does.
type eye struct{ cluster *observe.Cluster }

// see gives all that a judgement is made of, but for the baseline.
func (e eye) see(ctx context.Context, s story, c content) (drift.Input, error) {
	object := manifest.Object{Unstructured: s.object(c), Source: manifest.Source{File: "property.yaml"}}
	scope := mask.Scope{Key: key, Secret: object.GetKind() == "Secret"}
	in := drift.Input{Desired: object, Writers: writers.BuiltIn(), Mask: scope, Now: noon}
	in.Observation = e.cluster.Observe(ctx, object, e.cluster.Gather(ctx, e.set(s, object), scope))
	if s.earlier {
		in.Observation.Evidence.Earlier = []*unstructured.Unstructured{s.object(s.before)}
	}
	types, _, err := e.cluster.Types(ctx, object.GroupVersionKind().GroupVersion())
	in.Types = types
	return in, err
}

// set is what the object is declared with: perhaps an autoscaler.
func (e eye) set(s story, object manifest.Object) []manifest.Object {
	if !s.scaled {
		return []manifest.Object{object}
	}
	scaler := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
		"spec": map[string]any{"scaleTargetRef": map[string]any{
			"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "name": object.GetName(),
		}},
	}}
	scaler.SetName("scaler")
	scaler.SetNamespace(s.namespace)
	return []manifest.Object{object, {Unstructured: scaler}}
}

// without is the same sight where no dry run is allowed.
func without(in drift.Input) drift.Input {
	in.Observation.Restored, in.Observation.Precision, in.Observation.Replaced = nil, api.PrecisionDeclaredFields, false
	return in
}

// told writes a verdict down, for comparison and for the reader of a failure.
func told(o drift.Object) string {
	lines := []string{fmt.Sprintf("%s at %s: %s %s", o.Verdict, o.Precision, o.Reason, o.Message)}
	for _, j := range o.Judgements {
		var names []string
		for _, owner := range j.Owners {
			names = append(names, owner.Name)
		}
		lines = append(lines, fmt.Sprintf("  %s %s %s drift=%t heal=%t by %v: %s; git %s live %s",
			j.Kind, j.Pointer, j.Class, j.Drift, j.Heal, names, j.Explanation, value(j.Wanted.Report(j.Live)), value(j.Live.Report(j.Wanted))))
	}
	return strings.Join(append(lines, o.Findings...), "\n")
}

func value(v *api.Value) string {
	if v == nil {
		return "-"
	}
	return v.JSON
}
