// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"encoding/base64"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
)

// Body is what to apply: everything that Git declares, since an apply that
// carries a part of our fields deletes the others. A path in keep holds its
// live value: it is left out where another manager owns it too, and otherwise
// sent as it is, since leaving out a field that nobody else owns resets it.
//
// Without a live object there is nothing to keep and nothing to test. With one
// the body names its UID and resourceVersion, so that the server refuses it if
// anybody wrote in between.
func Body(declared, current *unstructured.Unstructured, keep []fieldpath.Path) (*unstructured.Unstructured, error) {
	body := declared.DeepCopy()
	for _, bookkeeping := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink"} {
		unstructured.RemoveNestedField(body.Object, "metadata", bookkeeping)
	}
	storeText(body)
	if current == nil {
		return body, nil
	}
	managers, err := live.Managers(current)
	if err != nil {
		return nil, err
	}
	for _, p := range keep {
		if err := keepLive(body, current, p, managers); err != nil {
			return nil, fmt.Errorf("%s %s at %s: %w", body.GetKind(), body.GetName(), keyedpath.Pointer(p), err)
		}
	}
	body.SetUID(current.GetUID())
	body.SetResourceVersion(current.GetResourceVersion())
	return body, nil
}

func keepLive(body, current *unstructured.Unstructured, p fieldpath.Path, managers []live.Manager) error {
	value, there := keyedpath.Get(current.Object, p)
	if !there || ownedElsewhere(managers, p) {
		keyedpath.Remove(body.Object, p)
		return nil
	}
	_, err := keyedpath.Set(body.Object, p, deepCopy(value))
	return err
}

// ownedElsewhere says whether somebody else owns just this path, so that the
// field stays when we let go of it.
func ownedElsewhere(managers []live.Manager, p fieldpath.Path) bool {
	return slices.ContainsFunc(managers, func(m live.Manager) bool {
		ours := m.Name == contract.DriftFieldManager && m.Subresource == ""
		return !ours && m.Fields.Has(p)
	})
}

// storeText puts the text of a Secret where the server stores it. Applied as
// stringData it would be owned as stringData, and a key that Git drops later
// would stay for ever.
func storeText(o *unstructured.Unstructured) {
	if o.GroupVersionKind().GroupKind().String() != "Secret" {
		return
	}
	text, ok, err := unstructured.NestedMap(o.Object, "stringData")
	if err != nil || !ok {
		return // the server says what is wrong with it
	}
	data, _, err := unstructured.NestedMap(o.Object, "data")
	if err != nil {
		return
	}
	if data == nil {
		data = map[string]any{}
	}
	for key, v := range text {
		plain, ok := v.(string)
		if !ok {
			return
		}
		data[key] = base64.StdEncoding.EncodeToString([]byte(plain))
	}
	delete(o.Object, "stringData")
	if len(data) > 0 {
		o.Object["data"] = data
	}
}

func deepCopy(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, item := range t {
			out[k] = deepCopy(item)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = deepCopy(item)
		}
		return out
	}
	return v
}
