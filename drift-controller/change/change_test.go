// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package change_test

import (
	"encoding/json"
	"errors"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/change"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return o
}

func path(parts ...any) fieldpath.Path { return fieldpath.MakePathOrDie(parts...) }

func api() fieldpath.PathElement {
	return fieldpath.MakePathOrDie(fieldpath.KeyByFields("name", "api"))[0]
}

const deployed = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u1, resourceVersion: "7"}
spec:
  replicas: 5
  template:
    spec:
      containers:
      - {name: sidecar, image: mesh:1}
      - {name: api, image: api:1, env: [{name: A, value: "1"}]}
`

const inGit = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, creationTimestamp: null}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - {name: api, image: api:2}
`

func owned(o *unstructured.Unstructured, manager, operation, subresource, fields string) {
	o.SetManagedFields(append(o.GetManagedFields(), metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation), Subresource: subresource,
		APIVersion: o.GetAPIVersion(), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}))
}

// TestBody: an apply carries everything, and what keeps its live value is left
// out only where somebody else answers for it.
func TestBody(t *testing.T) {
	replicas := path("spec", "replicas")
	image := path("spec", "template", "spec", "containers", api(), "image")
	cases := map[string]struct {
		reason   string
		owner    string // of replicas beside us
		keep     []fieldpath.Path
		replicas any // nil: left out
		image    any
	}{
		"all of Git":    {"nothing is to be kept", "", nil, int64(2), "api:2"},
		"nobody else's": {"left out it would be reset to 1", "", []fieldpath.Path{replicas}, int64(5), "api:2"},
		"co-owned":      {"the autoscaler owns it, and we let go", "kube-controller-manager", []fieldpath.Path{replicas}, nil, "api:2"},
		"in an item":    {"by the key of the item, not its index", "", []fieldpath.Path{image}, int64(2), "api:1"},
		"not live":      {"removed by hand, and it stays so", "", []fieldpath.Path{path("spec", "paused"), image}, int64(2), "api:1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			current := object(t, deployed)
			owned(current, "drift-controller", "Apply", "", `{"f:spec":{"f:replicas":{}}}`)
			if tc.owner != "" {
				owned(current, tc.owner, "Update", "scale", `{"f:spec":{"f:replicas":{}}}`)
			}
			body, err := change.Body(object(t, inGit), current, tc.keep)
			if err != nil {
				t.Fatal(err)
			}
			got, _, _ := unstructured.NestedFieldNoCopy(body.Object, "spec", "replicas")
			if diff := cmp.Diff(tc.replicas, got); diff != "" {
				t.Errorf("%s: replicas (-want +got):\n%s", tc.reason, diff)
			}
			if got, _ := keyedpath.Get(body.Object, image); got != tc.image {
				t.Errorf("%s: image: want %v, got %v", tc.reason, tc.image, got)
			}
			if body.GetUID() != "u1" || body.GetResourceVersion() != "7" || len(body.GetManagedFields()) > 0 {
				t.Errorf("it has to be about this very object: %v", body.Object["metadata"])
			}
		})
	}
}

// TestBodyOfSomethingNew: nothing to test, and no trace of where the manifest
// came from.
func TestBodyOfSomethingNew(t *testing.T) {
	declared := object(t, deployed)
	body, err := change.Body(declared, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "web", "namespace": "shop"}
	if diff := cmp.Diff(want, body.Object["metadata"]); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if declared.GetUID() != "u1" {
		t.Error("the declaration itself is not to be changed")
	}
}

func TestBodyOfASecret(t *testing.T) {
	body, err := change.Body(object(t, `
apiVersion: v1
kind: Secret
metadata: {name: s}
data: {A: b2xk, C: Yw==}
stringData: {A: new, B: b}
`), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"A": "bmV3", "B": "Yg==", "C": "Yw=="}
	if diff := cmp.Diff(want, body.Object["data"]); diff != "" || body.Object["stringData"] != nil {
		t.Errorf("text is stored as data and wins (-want +got):\n%s", diff)
	}
}

// TestPatch: the operations give what was meant, by the server's own library.
func TestPatch(t *testing.T) {
	containers := func(rest ...any) fieldpath.Path {
		return path(append([]any{"spec", "template", "spec", "containers"}, rest...)...)
	}
	cases := map[string]struct {
		reason string
		edits  []change.Edit
		want   []change.Op // after the two tests
	}{
		"nothing": {"what is not there needs no removal", []change.Edit{{Path: path("spec", "paused"), Remove: true}}, nil},
		"replace": {"an item stands where it stands now", []change.Edit{{Path: containers(api(), "image"), Value: "api:2"}},
			[]change.Op{{Op: "replace", Path: "/spec/template/spec/containers/1/image", Value: "api:2"}}},
		"two of a list": {"the second meets the list that the first leaves", []change.Edit{
			{Path: containers(fieldpath.MakePathOrDie(fieldpath.KeyByFields("name", "sidecar"))[0]), Remove: true},
			{Path: containers(api(), "env", fieldpath.MakePathOrDie(fieldpath.KeyByFields("name", "A"))[0]), Remove: true},
		}, []change.Op{{Op: "remove", Path: "/spec/template/spec/containers/0"}, {Op: "remove", Path: "/spec/template/spec/containers/0/env/0"}}},
		"missing on the way": {"maps come with the value", []change.Edit{
			{Path: path("metadata", "annotations", "a/b"), Value: "1"}, {Path: path("metadata", "annotations", "c"), Value: "2"},
		}, []change.Op{
			{Op: "add", Path: "/metadata/annotations", Value: map[string]any{"a/b": "1"}}, {Op: "add", Path: "/metadata/annotations/c", Value: "2"},
		}},
		"an item that is gone": {"it is appended", []change.Edit{
			{Path: containers(fieldpath.MakePathOrDie(fieldpath.KeyByFields("name", "log"))[0]), Value: map[string]any{"name": "log", "image": "log:1"}},
		}, []change.Op{{Op: "add", Path: "/spec/template/spec/containers/-", Value: map[string]any{"name": "log", "image": "log:1"}}}},
		"a list that is gone": {"it comes with its item", []change.Edit{
			{Path: path("spec", "volumes", fieldpath.MakePathOrDie(fieldpath.KeyByFields("name", "v"))[0]), Value: map[string]any{"name": "v"}},
		}, []change.Op{{Op: "add", Path: "/spec/volumes", Value: []any{map[string]any{"name": "v"}}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			current := object(t, deployed)
			ops, err := change.Patch(current, tc.edits)
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == nil {
				if ops != nil {
					t.Errorf("%s: %v", tc.reason, ops)
				}
				return
			}
			tests := []change.Op{{Op: "test", Path: "/metadata/uid", Value: "u1"}, {Op: "test", Path: "/metadata/resourceVersion", Value: "7"}}
			if diff := cmp.Diff(append(tests, tc.want...), ops); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			changed(t, current, ops, tc.edits)
		})
	}
}

// changed applies the operations and looks at every edit.
func changed(t *testing.T, current *unstructured.Unstructured, ops []change.Op, edits []change.Edit) {
	t.Helper()
	text, err := json.Marshal(ops)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	before, err := current.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply(before)
	if err != nil {
		t.Fatal(err)
	}
	next := &unstructured.Unstructured{}
	if err := next.UnmarshalJSON(after); err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		got, there := keyedpath.Get(next.Object, e.Path)
		if there == e.Remove || (!e.Remove && !cmp.Equal(got, e.Value)) {
			t.Errorf("%s: want %v (removed %t), got %v", keyedpath.Pointer(e.Path), e.Value, e.Remove, got)
		}
	}
}

func TestPatchWithoutAPlace(t *testing.T) {
	_, err := change.Patch(object(t, deployed), []change.Edit{{Path: path("spec", "replicas", "x"), Value: "1"}})
	if !errors.Is(err, keyedpath.ErrNoPlace) {
		t.Errorf("want ErrNoPlace, got %v", err)
	}
}
