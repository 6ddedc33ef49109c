// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// put writes a value at a keyed pointer and makes what is missing on the way.
// It is written for itself, since what it checks reads paths, too.
func put(root map[string]any, pointer string, v any) {
	tokens := keyedpath.Tokens(pointer)
	write(root, tokens, func(any) (any, bool) { return v, true })
}

// remove takes away what is at a keyed pointer.
func remove(root map[string]any, pointer string) {
	write(root, keyedpath.Tokens(pointer), func(any) (any, bool) { return nil, false })
}

// write changes what is at the tokens below a map or list, and gives the new
// map or list.
func write(at any, tokens []string, change func(any) (any, bool)) any {
	token, rest := tokens[0], tokens[1:]
	if !strings.HasPrefix(token, "[") {
		fields, _ := at.(map[string]any)
		if fields == nil {
			fields = map[string]any{}
		}
		if next, keep := below(fields[token], rest, change); keep {
			fields[token] = next
		} else {
			delete(fields, token)
		}
		return fields
	}
	list, _ := at.([]any)
	i := slices.IndexFunc(list, func(item any) bool { return isItem(item, token) })
	var have any
	if i >= 0 {
		have = list[i]
	}
	next, keep := below(have, rest, change)
	switch {
	case i >= 0 && keep:
		list[i] = next
	case i >= 0:
		list = slices.Delete(list, i, i+1)
	case keep:
		list = append(list, next)
	}
	return list
}

func below(at any, rest []string, change func(any) (any, bool)) (any, bool) {
	if len(rest) == 0 {
		return change(at)
	}
	next := write(at, rest, change)
	// What became empty on the way to a removal goes, as people leave no
	// empty list behind.
	switch t := next.(type) {
	case map[string]any:
		return next, len(t) > 0 || at != nil && !empty(at)
	case []any:
		return next, len(t) > 0
	}
	return next, true
}

func empty(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return v == nil
}

// isItem: [name=a] by its keys, [=x] by its value. A protocol that an item
// leaves out is TCP.
func isItem(item any, token string) bool {
	inner := strings.TrimSuffix(strings.TrimPrefix(token, "["), "]")
	if v, set := strings.CutPrefix(inner, "="); set {
		return fmt.Sprint(item) == v
	}
	fields, _ := item.(map[string]any)
	if fields == nil {
		return false
	}
	for _, pair := range strings.Split(inner, ",") {
		name, want, _ := strings.Cut(pair, "=")
		have, set := fields[name]
		if !set && name == "protocol" {
			have = "TCP"
		}
		if fmt.Sprint(have) != want {
			return false
		}
	}
	return true
}

// essence is what two forms of an object are held against each other by: no
// identity, no bookkeeping of the server, no status, nothing empty, and lists
// in an order of their own.
func essence(o *unstructured.Unstructured) string {
	fields := copied(o.Object).(map[string]any)
	delete(fields, "status")
	if meta, ok := fields["metadata"].(map[string]any); ok {
		maps.DeleteFunc(meta, func(name string, _ any) bool {
			return !slices.Contains([]string{"labels", "annotations", "finalizers", "ownerReferences"}, name)
		})
	}
	oneWay(o.GetKind(), fields)
	text, _ := json.Marshal(settled(fields))
	return string(text)
}

// oneWay writes the one quantity of the custom resource in one way: its
// schema says that 1, "1" and 1000m are one number.
func oneWay(kind string, fields map[string]any) {
	spec, _ := fields["spec"].(map[string]any)
	if kind != "Widget" || spec["limit"] == nil {
		return
	}
	if n, err := resource.ParseQuantity(fmt.Sprint(spec["limit"])); err == nil {
		spec["limit"] = n.String()
	}
}

func settled(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for name, field := range t {
			if t[name] = settled(field); empty(t[name]) {
				delete(t, name)
			}
		}
	case []any:
		for i := range t {
			t[i] = settled(t[i])
		}
		slices.SortFunc(t, func(a, b any) int {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return cmp.Compare(string(x), string(y))
		})
	}
	return v
}
