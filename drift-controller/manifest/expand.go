// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// objects turns the value of a document into objects; a list stands for its
// items. lines are those of the items, where they are known.
func (c *converter) objects(source Source, value any, lines []int) ([]Object, error) {
	content, ok := value.(map[string]any)
	if !ok {
		return nil, &Error{Kind: ErrNotObject, Source: source, Message: "the document is no Kubernetes object, but " + jsonType(value)}
	}
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	if err := checkType(source, content, apiVersion, kind); err != nil {
		return nil, err
	}
	if isList(content, kind) {
		return c.items(source, content, lines)
	}
	object := Object{Unstructured: &unstructured.Unstructured{Object: content}, Source: source, Notes: c.notes}
	if err := checkName(object); err != nil {
		return nil, err
	}
	return []Object{object}, nil
}

func (c *converter) items(source Source, list map[string]any, lines []int) ([]Object, error) {
	items, _ := list["items"].([]any)
	listKind, _ := list["kind"].(string)
	itemKind := strings.TrimSuffix(listKind, "List")
	var objects []Object
	for i, item := range items {
		at := source
		if i < len(lines) {
			at.Line = lines[i]
		}
		// The items of a typed list may leave out what the list says already.
		if content, ok := item.(map[string]any); ok && itemKind != "" {
			setDefault(content, "apiVersion", list["apiVersion"])
			setDefault(content, "kind", itemKind)
		}
		found, err := c.objects(at, item, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// isList tells a list from an object whose kind merely ends in List: a list
// has items and no name.
func isList(content map[string]any, kind string) bool {
	if !strings.HasSuffix(kind, "List") {
		return false
	}
	if name, _, _ := unstructured.NestedString(content, "metadata", "name"); name != "" {
		return false
	}
	items, present := content["items"]
	if !present {
		return kind == "List"
	}
	_, isArray := items.([]any)
	return isArray || items == nil
}

func checkType(source Source, content map[string]any, apiVersion, kind string) error {
	for _, field := range []string{"apiVersion", "kind"} {
		if value, set := content[field]; set && value != nil {
			if _, isText := value.(string); !isText {
				return notObject(source, "%s is %s: it must be text", field, jsonType(value))
			}
		}
	}
	switch {
	case apiVersion == "" && kind == "":
		return notObject(source, "no apiVersion and no kind: this is no Kubernetes object")
	case apiVersion == "":
		return notObject(source, "%s has no apiVersion", kind)
	case kind == "":
		return notObject(source, "an object of %s has no kind", apiVersion)
	}
	return nil
}

func checkName(object Object) error {
	metadata, isMap := object.Object["metadata"].(map[string]any)
	if !isMap {
		return notObject(object.Source, "%s has no metadata", object.GetKind())
	}
	for _, field := range []string{"name", "generateName", "namespace"} {
		if value, set := metadata[field]; set && value != nil {
			if _, isText := value.(string); !isText {
				return notObject(object.Source, "metadata.%s of a %s is %s: quote it", field, object.GetKind(), jsonType(value))
			}
		}
	}
	if object.GetName() == "" && object.GetGenerateName() == "" {
		return notObject(object.Source, "%s has no metadata.name", object.GetKind())
	}
	return nil
}

func notObject(source Source, format string, args ...any) error {
	return &Error{Kind: ErrNotObject, Source: source, Message: fmt.Sprintf(format, args...)}
}

func setDefault(content map[string]any, key string, value any) {
	if present, set := content[key]; !set || present == nil {
		content[key] = value
	}
}

func jsonType(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	default:
		return "a mapping"
	}
}

// itemLines finds the lines of the items of a list document.
func itemLines(document *yaml.Node) []int {
	root := document
	if root.Kind == yaml.DocumentNode && len(root.Content) > 0 {
		root = root.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		items := root.Content[i+1]
		if root.Content[i].Value != "items" || items.Kind != yaml.SequenceNode {
			continue
		}
		lines := make([]int, len(items.Content))
		for j, item := range items.Content {
			lines[j] = item.Line
		}
		return lines
	}
	return nil
}
