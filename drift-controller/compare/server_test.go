// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/contract"
	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

var (
	builtIn = Types{Schema: applyconfigurations.NewTypeConverter(scheme.Scheme), Scheme: scheme.Scheme}
	custom  = Types{Schema: managedfields.NewDeducedTypeConverter()}
)

// write is one write to an object: an update of the whole, or an apply.
type write struct {
	manager string
	apply   bool
	object  string
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	decoded, err := manifest.Decode("x.yaml", []byte(text))
	if err != nil || len(decoded) != 1 {
		t.Fatalf("%v in\n%s", err, text)
	}
	return decoded[0].Unstructured
}

// stored is what the API server's own bookkeeping makes of some writes, by its
// own code; only its defaulting is not there.
func stored(t *testing.T, types Types, writes ...write) *unstructured.Unstructured {
	t.Helper()
	first := object(t, writes[0].object)
	server := managedfieldstest.NewTestFieldManager(types.Schema, first.GroupVersionKind())
	for _, w := range writes {
		var err error
		if w.apply {
			err = server.Apply(object(t, w.object), w.manager, true)
		} else {
			err = server.Update(object(t, w.object), w.manager)
		}
		if err != nil {
			t.Fatalf("%s: %v", w.manager, err)
		}
	}
	return server.Live().(*unstructured.Unstructured)
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

// sample is one comparison in the words of YAML.
type sample struct {
	reason    string
	types     Types
	precision drift.Precision
	desired   string
	writes    []write
	// overRestored and overLive are unowned fields of either side.
	overRestored, overLive string
	mutators               []string
}

func (s sample) input(t *testing.T) Input {
	t.Helper()
	if s.types.Schema == nil {
		s.types = builtIn
	}
	if s.precision == "" {
		s.precision = drift.PrecisionRestored
	}
	desired := object(t, s.desired)
	o := live.Observation{
		ID:   manifest.Object{Unstructured: desired}.ID(),
		Live: lay(t, stored(t, s.types, s.writes...), s.overLive), Precision: s.precision,
		Evidence: live.Evidence{Mutators: s.mutators},
	}
	ours := write{manager: contract.DriftFieldManager, apply: true, object: s.desired}
	switch s.precision {
	case drift.PrecisionRestored:
		o.Restored = lay(t, stored(t, s.types, ours), s.overRestored)
	case drift.PrecisionInPlace:
		o.Restored = lay(t, stored(t, s.types, append(s.writes[:len(s.writes):len(s.writes)], ours)...), s.overLive)
	case drift.PrecisionDeclaredFields:
	}
	return Input{
		Desired: desired, Observation: o, Types: s.types, Writers: writers.BuiltIn(),
		Mask: mask.Scope{Key: testKey, Secret: desired.GetKind() == "Secret"},
	}
}
