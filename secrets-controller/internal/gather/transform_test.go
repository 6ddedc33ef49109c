// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

func TestStripKeepsKeysAndDropsValues(t *testing.T) {
	object := &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "db", Namespace: "shop",
			Annotations: map[string]string{lastApplied: `{"data":{"password":"c29tbWVy"}}`, "a": "b"},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "m", FieldsV1: metav1.NewFieldsV1(`{"f:data":{".":{},"f:password":{}}}`)},
				{Manager: "n", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{}}}`)},
			},
		},
	}
	out, err := Strip(object)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "c29tbWVy") {
		t.Errorf("the value is still there: %s", raw)
	}
	state := declaration.NewSecretState(object)
	if !state.KeysKnown || len(state.Keys) != 1 || state.Keys[0] != "password" {
		t.Errorf("want the key password, got %+v", state)
	}
	if len(object.ManagedFields) != 1 || object.Annotations["a"] != "b" {
		t.Errorf("want one entry and the other annotation, got %s", raw)
	}
}

func TestStripOtherKinds(t *testing.T) {
	object := &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
			{FieldsV1: metav1.NewFieldsV1(`{"f:data":{}}`)},
		}},
	}
	if _, err := Strip(object); err != nil || object.ManagedFields != nil {
		t.Errorf("managedFields of other kinds are not read by anybody: %v, %v", object.ManagedFields, err)
	}
	if got, err := Strip("text"); got != "text" || err != nil {
		t.Errorf("what is no object stays: %v, %v", got, err)
	}
}
