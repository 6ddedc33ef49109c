// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"strconv"
	"strings"
)

// Trace remembers, for every scalar among the values that hold in the end,
// which layer gave it.
type Trace struct {
	leaves map[string]leaf
	byText map[leafText][]string
}

type leaf struct {
	leafText
	place string
}

// leafText is what can be recognised in a rendered manifest: the last key of a
// value, and its text.
type leafText struct{ key, text string }

// Origin names the place of a value, such as "values-prod.yaml: env.DB_HOST".
// It answers only if exactly one value has this last key and text: a guess
// would send a reader to the wrong file.
func (t Trace) Origin(key string, value any) (string, bool) {
	text, isScalar := scalarText(value)
	if !isScalar {
		return "", false
	}
	places := t.byText[leafText{key, text}]
	if len(places) != 1 {
		return "", false
	}
	return places[0], true
}

// layer puts values over those of earlier layers.
func (t *Trace) layer(name, prefix string, values map[string]any) {
	if t.leaves == nil {
		t.leaves = map[string]leaf{}
	}
	for key, value := range values {
		t.set(name, prefix, prefix+key, key, value)
	}
}

// set overrides one value. A scalar, a list or null replaces whatever stood
// below its path; a mapping is merged.
func (t *Trace) set(layer, prefix, path, key string, value any) {
	if inner, isMap := value.(map[string]any); isMap {
		delete(t.leaves, path)
		for name, item := range inner {
			t.set(layer, prefix, path+"."+name, name, item)
		}
		return
	}
	t.remove(path)
	if items, isList := value.([]any); isList {
		for i, item := range items {
			t.set(layer, prefix, path+"["+strconv.Itoa(i)+"]", key, item)
		}
		return
	}
	text, isScalar := scalarText(value)
	if !isScalar {
		return
	}
	// A subchart's own values are found in its file without its name.
	shown := path
	if prefix != "" && strings.HasPrefix(layer, "charts/") {
		shown = strings.TrimPrefix(path, prefix)
	}
	t.leaves[path] = leaf{leafText: leafText{key, text}, place: layer + ": " + shown}
}

func (t *Trace) remove(path string) {
	delete(t.leaves, path)
	for other := range t.leaves {
		if strings.HasPrefix(other, path+".") || strings.HasPrefix(other, path+"[") {
			delete(t.leaves, other)
		}
	}
}

// index is called once, when all layers are in.
func (t *Trace) index() {
	t.byText = make(map[leafText][]string, len(t.leaves))
	for _, leaf := range t.leaves {
		t.byText[leaf.leafText] = append(t.byText[leaf.leafText], leaf.place)
	}
	t.leaves = nil
}

// scalarText is the text that a template prints for a value.
func scalarText(value any) (string, bool) {
	switch v := value.(type) {
	case nil, map[string]any, []any:
		return "", false
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	default:
		return fmt.Sprint(v), true
	}
}
