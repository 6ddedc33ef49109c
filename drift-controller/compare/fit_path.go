// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// find walks to the field that the path ends with and gives what holds it.
// Names of fields may hold dots, so the object decides where one ends.
func find(at any, path string) (parent any, last string, ok bool) {
	if strings.HasPrefix(path, "[") {
		return findItem(at, path)
	}
	fields, isMap := at.(map[string]any)
	if !isMap || !strings.HasPrefix(path, ".") {
		return nil, "", false
	}
	if _, there := fields[path[1:]]; there {
		return fields, path[1:], true
	}
	for name, field := range fields {
		rest, fits := strings.CutPrefix(path[1:], name)
		if !fits || rest == "" || (rest[0] != '.' && rest[0] != '[') {
			continue
		}
		if parent, last, ok := find(field, rest); ok {
			return parent, last, true
		}
	}
	return nil, "", false
}

func findItem(at any, path string) (parent any, last string, ok bool) {
	items, isList := at.([]any)
	end := closing(path)
	if !isList || end < 0 || end+1 == len(path) {
		return nil, "", false
	}
	for i, item := range items {
		if !selects(path[:end+1], item, i) {
			continue
		}
		if parent, last, ok := find(item, path[end+1:]); ok {
			return parent, last, true
		}
	}
	return nil, "", false
}

// closing is the index of the bracket that ends the first element.
func closing(path string) int {
	quoted := false
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '\\' && quoted:
			i++
		case path[i] == '"':
			quoted = !quoted
		case path[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

var keyField = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)=("(?:[^"\\]|\\.)*"|[^,\]]*)`)

// selects says whether an element such as [name="api"], [="x"] or [0] stands
// for the item. A key that the item leaves out has its default there.
func selects(element string, item any, index int) bool {
	inner := strings.TrimSuffix(strings.TrimPrefix(element, "["), "]")
	if n, err := strconv.Atoi(inner); err == nil {
		return n == index
	}
	if text, isValue := strings.CutPrefix(inner, "="); isValue {
		return reads(text, item)
	}
	fields, isMap := item.(map[string]any)
	if !isMap {
		return reads(inner, item)
	}
	for _, m := range keyField.FindAllStringSubmatch(inner, -1) {
		if v, there := fields[m[1]]; there && !reads(m[2], v) {
			return false
		}
	}
	return true
}

func reads(text string, v any) bool {
	var parsed any
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		return fmt.Sprint(v) == text
	}
	return reflect.DeepEqual(parsed, v) || fmt.Sprint(parsed) == fmt.Sprint(v)
}
