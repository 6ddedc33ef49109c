// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rendered

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// Manifests writes objects as YAML documents, in their order, with every
// secret value masked: all that Secrets hold, what is tainted, and what stands
// under a name that announces a secret. The same objects give the same bytes.
func Manifests(objects []*unstructured.Unstructured, scope mask.Scope) ([]byte, error) {
	var out bytes.Buffer
	for _, o := range objects {
		text, err := yaml.Marshal(maskObject(o, scope))
		if err != nil {
			return nil, fmt.Errorf("%s %s/%s cannot be written as YAML: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes(), nil
}

// secretFields hold secrets by definition, by kind.
var secretFields = map[string][]struct {
	path    []string
	encoded bool
}{
	"Secret": {
		{path: []string{"data"}, encoded: true},
		{path: []string{"stringData"}},
	},
	"SealedSecret.bitnami.com": {
		{path: []string{"spec", "template", "data"}},
	},
}

func maskObject(o *unstructured.Unstructured, scope mask.Scope) any {
	kind := o.GroupVersionKind().GroupKind().String()
	scope.Secret = kind == "Secret"
	masked, _ := scope.Value(nil, o.Object)
	shaped, isMap := reshape(o.Object, masked, scope.Key).(map[string]any)
	if !isMap {
		return map[string]any{}
	}
	for _, field := range secretFields[kind] {
		values, _, _ := unstructured.NestedFieldNoCopy(o.Object, field.path...)
		entries, _ := values.(map[string]any)
		for name, value := range entries {
			text := fmt.Sprint(value)
			if value == nil {
				text = ""
			}
			if field.encoded {
				text = decoded(text)
			}
			at := append(append([]string{}, field.path...), name)
			// The path exists: it was just read from the same object.
			_ = unstructured.SetNestedField(shaped, token(text, scope.Key), at...)
		}
	}
	return shaped
}

// reshape gives the masks of whole values their shape. A mask within a text,
// such as that of a password in a URL, stays as it is.
func reshape(raw, masked any, key mask.Key) any {
	switch m := masked.(type) {
	case map[string]any:
		fields, _ := raw.(map[string]any)
		shaped := make(map[string]any, len(m))
		for name, value := range m {
			shaped[name] = reshape(fields[name], value, key)
		}
		return shaped
	case []any:
		items, _ := raw.([]any)
		shaped := make([]any, len(m))
		for i, value := range m {
			shaped[i] = value
			if i < len(items) {
				shaped[i] = reshape(items[i], value, key)
			}
		}
		return shaped
	case string:
		if raw != masked && m == mask.Token(key.Digest(raw)) {
			return token(fmt.Sprint(raw), key)
		}
	}
	return masked
}

// token is the mask of a value: (masked opaque hmac:8c1f…).
func token(value string, key mask.Key) string {
	shape := ShapeOf(value)
	if shape == Empty {
		return fmt.Sprintf("(masked %s)", Empty)
	}
	return fmt.Sprintf("(masked %s hmac:%s)", shape, key.Digest(value))
}

// decoded reads base64, with line breaks or without. What is no base64 is
// judged as it is: an encrypted or templated value.
func decoded(text string) string {
	plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return text
	}
	return string(plain)
}
