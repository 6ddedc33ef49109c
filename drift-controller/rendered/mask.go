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

	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/pattern"
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
	kind := o.GroupVersionKind().GroupKind()
	scope.Secret = kind.String() == "Secret"
	m := masker{scope: scope, structured: strings.HasSuffix(kind.Group, "external-secrets.io")}
	masked, _ := scope.Value(nil, o.Object)
	shaped, isMap := m.reshape(nil, o.Object, masked).(map[string]any)
	if !isMap {
		return map[string]any{}
	}
	for _, field := range secretFields[kind.String()] {
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
			_ = unstructured.SetNestedField(shaped, m.token(text, nil), at...)
		}
	}
	return shape.Rewrite(shaped, m.telling)
}

// masker gives masks the form that the rules of the secrets-controller read.
type masker struct {
	scope mask.Scope
	// structured: fields of the kind name keys and Secrets, and hold none.
	structured bool
}

// telling hides what only its name tells, in fields of any kind.
func (m masker) telling(s shape.Scalar) any {
	text, isText := s.Value.(string)
	if !isText || m.structured || shape.Masked(text) || s.Field(0) == "kind" || !shape.Tells(s.Name, text) || shape.NamesSecret(s.Name) {
		return s.Value
	}
	return m.token(text, nil)
}

// reshape gives the masks of whole values their shape, and those within a text
// what was found there. A text that only refers to values stays as it is: the
// rules follow references, and a mask would end their way.
func (m masker) reshape(path []string, raw, masked any) any {
	switch seen := masked.(type) {
	case map[string]any:
		fields, _ := raw.(map[string]any)
		shaped := make(map[string]any, len(seen))
		for name, value := range seen {
			shaped[name] = m.reshape(append(path[:len(path):len(path)], name), fields[name], value)
		}
		return shaped
	case []any:
		items, _ := raw.([]any)
		shaped := make([]any, len(seen))
		for i, value := range seen {
			shaped[i] = value
			if i < len(items) {
				shaped[i] = m.reshape(path, items[i], value)
			}
		}
		return shaped
	case string:
		text, isText := raw.(string)
		switch {
		case raw == masked:
		case seen == mask.Token(m.scope.Key.Digest(raw)):
			return m.whole(path, raw, text)
		case isText:
			return m.within(text)
		}
	}
	return masked
}

// whole masks a value as a whole, unless it is completed elsewhere: then only
// what stands around its variables can be a secret.
func (m masker) whole(path []string, raw any, text string) any {
	held := m.scope.Secret && len(path) > 0 && (path[0] == "data" || path[0] == "stringData")
	if text == "" || held || m.scope.Taints(text) {
		return m.token(fmt.Sprint(raw), nil)
	}
	switch {
	case shape.Of(text) == shape.Reference:
		return raw
	case shape.HasVariable(text) && strings.Contains(text, "\n"):
		return m.within(text)
	case shape.HasVariable(text):
		var hits []shape.Hit
		for _, part := range shape.Between(text) {
			hits = append(hits, shape.Hit{Start: part[0], End: part[1]})
		}
		return shape.Hide(text, hits, m.token)
	}
	return m.token(text, nil)
}

// within masks what was found in a text, and then whatever else the reports
// would hide there.
func (m masker) within(text string) any {
	hidden := shape.Hide(text, shape.Find(text, pattern.Scan), m.token)
	again, _ := m.scope.Value(nil, hidden)
	return again
}

// token is the mask of a value: (masked opaque hmac:8c1f… found:jwt).
func (m masker) token(value string, found []string) string {
	out := shape.Mask{Shape: shape.Of(value), Found: found}
	if found == nil {
		out.Found = shape.IDs(shape.Find(value, pattern.Scan))
	}
	switch {
	case len(found) > 0:
		out.Shape = shape.Opaque // a pattern knows better than its looks
	case m.scope.Secret && out.Shape != shape.Empty && m.scope.Taints(value):
		// It stands encrypted in Git, or in a Secret of the cluster: to say
		// that it lies open in Git would be a wrong red.
		out.Shape = shape.Encrypted
	}
	if out.Shape != shape.Empty {
		out.Digest = m.scope.Key.Digest(value)
	}
	return out.String()
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
