// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// decode gives the value of a node as JSON values.
func decode(node *yaml.Node) (value any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			value, err = nil, fmt.Errorf("%w: the YAML reader gave up: %v", ErrSyntax, cause)
		}
	}()
	if err := node.Decode(&value); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return normal(value), nil
}

// normal brings what the YAML reader and what the API server give to the same
// types.
func normal(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = normal(item)
		}
		return out
	case map[any]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[fmt.Sprint(key)] = normal(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = normal(item)
		}
		return out
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float64:
		if whole := int64(v); float64(whole) == v && v > -1<<53 && v < 1<<53 {
			return whole
		}
		return v
	default:
		return value
	}
}

// Changed is a value as it reads after an edit. The value itself stays as it is.
func Changed(root any, e Edit) (any, error) {
	if len(e.Path) == 0 {
		return normal(e.Value), nil
	}
	step, below := e.Path[0], Edit{Path: e.Path[1:], Value: e.Value, Remove: e.Remove}
	last := len(below.Path) == 0
	if step.FieldName != nil {
		return changedField(root, *step.FieldName, below, last)
	}
	items, ok := root.([]any)
	if !ok && root != nil {
		return nil, fmt.Errorf("%w: %s is in no list", ErrShape, step)
	}
	items = slices.Clone(items)
	i := keyedpath.IndexOf(items, step)
	switch {
	case i < 0 && e.Remove:
		return nil, fmt.Errorf("%w: %s is not there", ErrShape, step)
	case i < 0:
		return append(items, normal(nest(e.Path, e.Value).([]any)[0])), nil
	case last && e.Remove:
		return slices.Delete(items, i, i+1), nil
	}
	item, err := Changed(items[i], below)
	items[i] = item
	return items, err
}

func changedField(root any, name string, below Edit, last bool) (any, error) {
	fields, ok := root.(map[string]any)
	if !ok && root != nil {
		return nil, fmt.Errorf("%w: %s is in no mapping", ErrShape, name)
	}
	out := make(map[string]any, len(fields)+1)
	for key, item := range fields {
		out[key] = item
	}
	if _, present := out[name]; !present && below.Remove {
		return nil, fmt.Errorf("%w: %s is not there", ErrShape, name)
	}
	if last && below.Remove {
		delete(out, name)
		return out, nil
	}
	item, err := Changed(out[name], below)
	out[name] = item
	return out, err
}

// nest puts a value below a path of mappings and list items that are all new.
func nest(path fieldpath.Path, value any) any {
	for _, step := range slices.Backward(path) {
		switch {
		case step.FieldName != nil:
			value = map[string]any{*step.FieldName: value}
		case step.Key != nil:
			value = []any{withKey(value, step)}
		default:
			value = []any{value}
		}
	}
	return value
}

// withKey completes an item by the fields that it is known by.
func withKey(value any, step fieldpath.PathElement) any {
	fields, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := make(map[string]any, len(fields)+1)
	for _, f := range *step.Key {
		out[f.Name] = f.Value.Unstructured()
	}
	for key, item := range fields {
		out[key] = item
	}
	return out
}

// Read gives the first document of a text as JSON values; nil if there is none.
func Read(data []byte) (any, error) {
	documents, err := parse(data)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	return decode(documents[0])
}
