// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

var (
	testKey = mask.Key("0123456789abcdef0123456789abcdef")
	now     = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	builtIn = compare.Types{Schema: applyconfigurations.NewTypeConverter(scheme.Scheme), Scheme: scheme.Scheme}
	custom  = compare.Types{Schema: managedfields.NewDeducedTypeConverter()}
)

// write is one write to an object: an update of the whole, or an apply. A
// manager such as "hpa/scale" writes through a subresource.
type write struct {
	manager string
	apply   bool
	object  string
}

func helm(object string) write       { return write{manager: "helm", object: object} }
func edit(object string) write       { return write{manager: "kubectl-edit", object: object} }
func controller(object string) write { return write{manager: "some-operator", object: object} }
func ours(object string) write {
	return write{manager: contract.DriftFieldManager, apply: true, object: object}
}

func decoded(t *testing.T, text string) manifest.Object {
	t.Helper()
	objects, err := manifest.Decode("x.yaml", []byte(text))
	if err != nil || len(objects) != 1 {
		t.Fatalf("%v in\n%s", err, text)
	}
	return objects[0]
}

// stored is what the API server's own bookkeeping makes of some writes, by its
// own code; only its defaulting is not there.
func stored(t *testing.T, types compare.Types, writes ...write) *unstructured.Unstructured {
	t.Helper()
	server := managedfieldstest.NewTestFieldManager(types.Schema, decoded(t, writes[0].object).GroupVersionKind())
	through := map[string]string{}
	for _, w := range writes {
		manager, subresource, _ := strings.Cut(w.manager, "/")
		through[manager] = subresource
		var err error
		if w.apply {
			err = server.Apply(decoded(t, w.object).Unstructured, manager, true)
		} else {
			err = server.Update(decoded(t, w.object).Unstructured, manager)
		}
		if err != nil {
			t.Fatalf("%s: %v", w.manager, err)
		}
	}
	obj := server.Live().(*unstructured.Unstructured)
	entries := obj.GetManagedFields()
	for i := range entries {
		entries[i].Subresource = through[entries[i].Manager]
		entries[i].Time = &metav1.Time{Time: now}
	}
	obj.SetManagedFields(entries)
	return obj
}

// lay puts fields over an object that nobody owns, as defaults and webhooks do.
func lay(t *testing.T, obj *unstructured.Unstructured, text string) *unstructured.Unstructured {
	t.Helper()
	if text == "" {
		return obj
	}
	var over map[string]any
	if err := yaml.Unmarshal([]byte(text), &over); err != nil {
		t.Fatal(err)
	}
	merge(obj.Object, over)
	return obj
}

func merge(into, over map[string]any) {
	for name, v := range over {
		below, isMap := v.(map[string]any)
		at, there := into[name].(map[string]any)
		switch {
		case v == nil:
			delete(into, name)
		case isMap && there:
			merge(at, below)
		default:
			into[name] = integers(v)
		}
	}
}

// integers are what numbers of YAML are to the server.
func integers(v any) any {
	switch t := v.(type) {
	case float64:
		return int64(t)
	case map[string]any:
		for name, field := range t {
			t[name] = integers(field)
		}
	case []any:
		for i, item := range t {
			t[i] = integers(item)
		}
	}
	return v
}

// sample is one object in the words of YAML.
type sample struct {
	types     compare.Types
	precision api.Precision
	desired   string
	writes    []write
	// overRestored and overLive are unowned fields of either side.
	overRestored, overLive string
	evidence               live.Evidence
	baseline               Baseline
}

func (s sample) input(t *testing.T) Input {
	t.Helper()
	if s.types.Schema == nil {
		s.types = builtIn
	}
	if s.precision == "" {
		s.precision = api.PrecisionRestored
	}
	desired := decoded(t, s.desired)
	in := Input{
		Desired: desired, Types: s.types, Writers: writers.BuiltIn(), Now: now, Baseline: s.baseline,
		Mask: mask.Scope{Key: testKey, Secret: desired.GetKind() == "Secret"},
		Observation: live.Observation{
			ID: desired.ID(), Live: lay(t, stored(t, s.types, s.writes...), s.overLive), Precision: s.precision, Evidence: s.evidence,
		},
	}
	switch s.precision {
	case api.PrecisionRestored:
		in.Observation.Restored = lay(t, stored(t, s.types, ours(s.desired)), s.overRestored)
	case api.PrecisionInPlace:
		over := append(s.writes[:len(s.writes):len(s.writes)], ours(s.desired))
		in.Observation.Restored = lay(t, stored(t, s.types, over...), s.overLive)
		in.Observation.Restored.SetManagedFields(stored(t, s.types, over...).GetManagedFields())
	case api.PrecisionDeclaredFields:
	}
	return in
}

// agreedOn is a baseline in which Git and live agreed on values.
func agreedOn(values map[string]any) Baseline {
	b := Baseline{}
	for pointer, v := range values {
		b[PointerKey(pointer)] = testKey.Digest(v)
	}
	return b
}
