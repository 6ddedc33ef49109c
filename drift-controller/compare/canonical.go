// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// canonical writes the declaration as the built-in Go types write it, where
// there are any: quantities, base64 and zero values as the server stores them.
// Fields that the declaration leaves out stay out.
func canonical(desired *unstructured.Unstructured, scheme *runtime.Scheme) (*unstructured.Unstructured, error) {
	out := desired.DeepCopy()
	dropNulls(out.Object)
	kind := out.GroupVersionKind()
	if scheme == nil || !scheme.Recognizes(kind) {
		return out, nil
	}
	typedObj, err := scheme.New(kind)
	if err != nil {
		return nil, fmt.Errorf("type of %s: %w", kind, err)
	}
	text, err := json.Marshal(out.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding %s %s: %w", kind.Kind, out.GetName(), err)
	}
	if err := json.Unmarshal(text, typedObj); err != nil {
		return nil, fmt.Errorf("%s %s: a field has the wrong type (%w)", kind.Kind, out.GetName(), stripped(err))
	}
	roundUp(reflect.ValueOf(typedObj))
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typedObj)
	if err != nil {
		return nil, fmt.Errorf("reading back %s %s: %w", kind.Kind, out.GetName(), err)
	}
	keepDeclared(fields, out.Object)
	if kind.Kind == "Secret" && kind.Group == "" {
		mergeStringData(fields)
	}
	out.Object = fields
	out.SetGroupVersionKind(kind)
	return out, nil
}

// stripped keeps the field and the types of a JSON error, and drops the value
// that its text quotes.
func stripped(err error) error {
	if t, ok := err.(*json.UnmarshalTypeError); ok { //nolint:errorlint // encoding/json returns it bare
		return fmt.Errorf("field %s wants %s", t.Field, t.Type)
	}
	return fmt.Errorf("value of the wrong type")
}

// unquoted keeps the field and what the schema expects there, and drops the
// value that a typed conversion quotes.
func unquoted(err error) error {
	words, _, _ := strings.Cut(err.Error(), ", got ")
	return errors.New(words)
}

// keepDeclared removes what the Go types add on their own, such as an empty
// strategy or a null creationTimestamp. Lists are matched by position, since
// the declaration and its round trip have the same items.
func keepDeclared(fields, declared map[string]any) {
	for name, field := range fields {
		said, ok := declared[name]
		if !ok {
			delete(fields, name)
			continue
		}
		keepBelow(field, said)
	}
}

func keepBelow(v, declared any) {
	switch t := v.(type) {
	case map[string]any:
		if said, ok := declared.(map[string]any); ok {
			keepDeclared(t, said)
		}
	case []any:
		said, ok := declared.([]any)
		for i, item := range t {
			if ok && i < len(said) {
				keepBelow(item, said[i])
			}
		}
	}
}

func dropNulls(fields map[string]any) {
	for name, v := range fields {
		switch t := v.(type) {
		case nil:
			delete(fields, name)
		case map[string]any:
			dropNulls(t)
		case []any:
			for _, item := range t {
				if m, ok := item.(map[string]any); ok {
					dropNulls(m)
				}
			}
		}
	}
}

// mergeStringData does what the server does on a write.
func mergeStringData(fields map[string]any) {
	text, ok := fields["stringData"].(map[string]any)
	if !ok {
		return
	}
	data, ok := fields["data"].(map[string]any)
	if !ok {
		data = map[string]any{}
	}
	for key, v := range text {
		if s, ok := v.(string); ok {
			data[key] = encodeBase64(s)
		}
	}
	fields["data"] = data
	delete(fields, "stringData")
}

func encodeBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
