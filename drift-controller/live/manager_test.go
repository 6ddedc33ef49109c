// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
)

func object(entries ...metav1.ManagedFieldsEntry) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	o.SetName("a")
	o.SetManagedFields(entries)
	return o
}

func fields(text string) *metav1.FieldsV1 { return metav1.NewFieldsV1(text) }

func TestManagers(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 5, 4, 9, 15, 0, 0, time.UTC))
	managers, err := live.Managers(object(
		metav1.ManagedFieldsEntry{Manager: "helm", Operation: "Update", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: fields(`{"f:data":{"f:A":{}}}`)},
		metav1.ManagedFieldsEntry{Manager: "hpa", Operation: "Update", APIVersion: "v1", Subresource: "scale", FieldsType: "FieldsV1", FieldsV1: fields(`{"f:spec":{"f:replicas":{}}}`)},
		metav1.ManagedFieldsEntry{Manager: "empty", Operation: "Apply", APIVersion: "v1"},
	))
	if err != nil || len(managers) != 3 {
		t.Fatalf("want three, in the server's order: %v %v", managers, err)
	}
	if m := managers[0]; m.Name != "helm" || m.Operation != "Update" || m.APIVersion != "v1" || !m.LastWrite.Equal(at.Time) {
		t.Errorf("who, how and when: %+v", m)
	}
	if m := managers[1]; m.Subresource != "scale" || !m.LastWrite.IsZero() {
		t.Errorf("the scale subresource records no time: %+v", m)
	}
	if m := managers[2]; m.Fields == nil || !m.Fields.Empty() {
		t.Errorf("an entry without fields owns nothing: %+v", m)
	}
}

// TestManagersThatCannotBeRead: the words name the object and the manager.
func TestManagersThatCannotBeRead(t *testing.T) {
	_, err := live.Managers(object(metav1.ManagedFieldsEntry{Manager: "odd", FieldsType: "FieldsV1", FieldsV1: fields(`{"x":{}}`)}))
	if err == nil || !strings.Contains(err.Error(), `ConfigMap a: manager "odd"`) {
		t.Errorf("want an error that says where, got %v", err)
	}
}

func TestOwnersOf(t *testing.T) {
	managers, err := live.Managers(object(
		metav1.ManagedFieldsEntry{Manager: "one", FieldsType: "FieldsV1", FieldsV1: fields(`{"f:data":{"f:A":{},"f:B":{}}}`)},
		metav1.ManagedFieldsEntry{Manager: "two", FieldsType: "FieldsV1", FieldsV1: fields(`{"f:data":{".":{},"f:A":{}},"f:l":{"k:{\"name\":\"x\"}":{".":{},"f:v":{}}}}`)},
	))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		path   fieldpath.Path
		want   []string
	}{
		"co-owners":    {"all of them are listed", keyedpath.FieldPath("data", "A"), []string{"one", "two"}},
		"one":          {"who has the leaf", keyedpath.FieldPath("data", "B"), []string{"one"}},
		"from below":   {"who has a part owns a part of the whole", keyedpath.FieldPath("data"), []string{"one", "two"}},
		"nobody":       {"who has the map has not every key of it", keyedpath.FieldPath("data", "C"), nil},
		"item":         {"items by their keys", fieldpath.MakePathOrDie("l", fieldpath.KeyByFields("name", "x")), []string{"two"}},
		"another item": {"another key is another item", fieldpath.MakePathOrDie("l", fieldpath.KeyByFields("name", "y")), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range live.OwnersOf(managers, tc.path) {
				got = append(got, m.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
