// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Manager is one entry of managedFields.
type Manager struct {
	Name        string
	Operation   string // Apply or Update
	Subresource string
	APIVersion  string
	// LastWrite of this manager to the object; zero if none is recorded, as
	// for the scale subresource.
	LastWrite time.Time
	Fields    *fieldpath.Set
}

// Managers decodes the managedFields of an object, in the server's order.
func Managers(obj *unstructured.Unstructured) ([]Manager, error) {
	entries := obj.GetManagedFields()
	managers := make([]Manager, 0, len(entries))
	for _, entry := range entries {
		m, err := decode(entry)
		if err != nil {
			return nil, fmt.Errorf("managedFields of %s %s: manager %q: %w", obj.GetKind(), obj.GetName(), entry.Manager, err)
		}
		managers = append(managers, m)
	}
	return managers, nil
}

func decode(entry metav1.ManagedFieldsEntry) (Manager, error) {
	m := Manager{
		Name: entry.Manager, Operation: string(entry.Operation), Subresource: entry.Subresource,
		APIVersion: entry.APIVersion, Fields: &fieldpath.Set{},
	}
	if entry.Time != nil {
		m.LastWrite = entry.Time.Time
	}
	if entry.FieldsV1 == nil {
		return m, nil
	}
	err := m.Fields.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes()))
	return m, err
}

// OwnersOf lists the managers that own the path or anything below it. Where a
// list or map is atomic the path is never below it, so no ancestor is asked.
func OwnersOf(managers []Manager, p fieldpath.Path) []Manager {
	var owners []Manager
	for _, m := range managers {
		if keyedpath.Covers(m.Fields, p) {
			owners = append(owners, m)
		}
	}
	return owners
}
