// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDrop takes out exactly what the words of a typed conversion name.
func TestDrop(t *testing.T) {
	type fields = map[string]any
	item := func(name, value string) fields { return fields{"name": name, "value": value} }
	cases := map[string]struct {
		reason string
		words  string
		object fields
		want   fields
	}{
		"one field": {
			"the server names one field", "failed to create typed patch object (x/web; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema",
			fields{"spec": fields{"foo": 1, "bar": 2}}, fields{"spec": fields{"bar": 2}},
		},
		"in a list": {
			"items stand by their keys", `.spec.containers[name="b"].foo: field not declared in schema`,
			fields{"spec": fields{"containers": []any{fields{"name": "a", "foo": 1}, fields{"name": "b", "foo": 2}}}},
			fields{"spec": fields{"containers": []any{fields{"name": "a", "foo": 1}, fields{"name": "b"}}}},
		},
		"dots in a name": {
			"only the object tells where a name ends", ".spec.map.a.b/c.foo: field not declared in schema",
			fields{"spec": fields{"map": fields{"a": fields{"b": 1}, "a.b/c": fields{"foo": 1, "ok": 2}}}},
			fields{"spec": fields{"map": fields{"a": fields{"b": 1}, "a.b/c": fields{"ok": 2}}}},
		},
		"a bracket in a key": {
			"keys are quoted", `.spec.list[name="a]\"b"].foo: field not declared in schema`,
			fields{"spec": fields{"list": []any{fields{"name": `a]"b`, "foo": 1}}}},
			fields{"spec": fields{"list": []any{fields{"name": `a]"b`}}}},
		},
		"by index": {
			"items of an atomic list have no key", ".spec.list[1].foo: field not declared in schema",
			fields{"spec": fields{"list": []any{fields{"foo": 1}, fields{"foo": 2}}}},
			fields{"spec": fields{"list": []any{fields{"foo": 1}, fields{}}}},
		},
		"doubles": {
			"the last one stays", "errors:\n  .spec.env: duplicate entries for key [name=\"A\"]",
			fields{"spec": fields{"env": []any{item("A", "1"), item("B", "2"), item("A", "3")}}},
			fields{"spec": fields{"env": []any{item("B", "2"), item("A", "3")}}},
		},
		"two keys": {
			"a key that is left out has its default", `.spec.ports: duplicate entries for key [containerPort=80,protocol="TCP"]`,
			fields{"spec": fields{"ports": []any{fields{"containerPort": int64(80)}, fields{"containerPort": int64(80), "protocol": "UDP"}, fields{"containerPort": int64(80), "protocol": "TCP"}}}},
			fields{"spec": fields{"ports": []any{fields{"containerPort": int64(80), "protocol": "UDP"}, fields{"containerPort": int64(80), "protocol": "TCP"}}}},
		},
		"nothing there": {
			"words about something else change nothing", ".spec.gone.foo: field not declared in schema\n.spec.x: expected string, got 5",
			fields{"spec": fields{"x": 5}}, fields{"spec": fields{"x": 5}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := Fitted{Object: &unstructured.Unstructured{Object: tc.object}}
			changed := !cmp.Equal(tc.object, tc.want)
			if dropped := f.Drop(Complaints(tc.words)); dropped != changed {
				t.Errorf("%s: dropped %t, want %t", tc.reason, dropped, changed)
			}
			if diff := cmp.Diff(tc.want, f.Object.Object); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCompletePutsDoublesBack: the API server stores both when an object is
// created in full, so the restored form has to have both.
func TestCompletePutsDoublesBack(t *testing.T) {
	list := func(values ...string) map[string]any {
		var env []any
		for _, v := range values {
			env = append(env, map[string]any{"name": v[:1], "value": v[1:]})
		}
		return map[string]any{"spec": map[string]any{"env": env}}
	}
	f := Fitted{Object: &unstructured.Unstructured{Object: list("A1", "B2", "A3")}}
	f.Drop([]Complaint{{Path: ".spec.env", Key: `[name="A"]`}})
	answer := &unstructured.Unstructured{Object: list("B2", "A3")}
	f.Complete(answer)
	if diff := cmp.Diff(list("B2", "A1", "A3"), answer.Object); diff != "" {
		t.Errorf("completed (-want +got):\n%s", diff)
	}
}
