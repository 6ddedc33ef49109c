// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is a declared object and its origin. The values of its map are those
// of unstructured JSON: bool, int64, float64, string, []any, map[string]any
// and nil.
type Object struct {
	*unstructured.Unstructured
	Source Source
	// Notes are remarks on the text that a reader should hear of, such as a
	// key that was read as something else than it looks like.
	Notes []string
}

// ID is the identity that the manifest gives, the namespace as written.
func (o Object) ID() ID {
	gvk := o.GroupVersionKind()
	return ID{Group: gvk.Group, Kind: gvk.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}

// IsGenerated says that the server is to make up the name. Such an object has
// no identity that could be compared.
func (o Object) IsGenerated() bool {
	return o.GetName() == "" && o.GetGenerateName() != ""
}

// Clone is a deep copy.
func (o Object) Clone() Object {
	return Object{
		Unstructured: o.DeepCopy(),
		Source:       o.Source,
		Notes:        append([]string(nil), o.Notes...),
	}
}

// WithoutNulls copies a JSON value without the map entries that are null. To
// the API server null means that a field is not set, for every built-in kind;
// only a custom resource may hold a null that means something (nullable), so
// Decode keeps them and the caller decides by kind.
func WithoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			if item != nil {
				out[key] = WithoutNulls(item)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = WithoutNulls(item)
		}
		return out
	default:
		return value
	}
}
