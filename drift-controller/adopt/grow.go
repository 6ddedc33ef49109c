// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// growing are mappings and lists of the values that may hold the siblings of
// what was added: those that share a name with them first, then empty ones.
func growing(files []valuesFile, parent any, c Change) []candidate {
	names := namesIn(parent)
	last := lastName(c.Path)
	var likely, empty []candidate
	seen := map[string]bool{}
	for _, f := range reversed(files) {
		each(f.values, nil, func(p fieldpath.Path, v any) {
			if seen[p.String()] {
				return
			}
			seen[p.String()] = true
			wish, fits := grown(p, v, last, c.Value)
			switch {
			case !fits:
			case sharesName(v, names):
				likely = append(likely, wish)
			case isEmpty(v):
				empty = append(empty, wish)
			}
		})
	}
	return append(likely, empty...)
}

// grown is a mapping with one more key, or a list with one more item.
func grown(p fieldpath.Path, v any, name string, live any) (candidate, bool) {
	switch t := v.(type) {
	case map[string]any:
		if _, taken := t[name]; taken || name == "" {
			return candidate{}, false
		}
		// The variable of a pod is a key with a value in most charts.
		if item, isItem := live.(map[string]any); isItem && len(item) == 2 && item["name"] == name && item["value"] != nil {
			live = item["value"]
		}
		return candidate{path: append(p.Copy(), keyedpath.FieldPath(name)...), value: live}, true
	case []any:
		return candidate{path: append(p.Copy(), fieldpath.MakePathOrDie(len(t))...), value: live}, true
	}
	return candidate{}, false
}

func isEmpty(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return false
}

// lastName is the key, or the name of the item, that a path ends with.
func lastName(p fieldpath.Path) string {
	tokens := keyedpath.Tokens(keyedpath.Pointer(p))
	last := tokens[len(tokens)-1]
	if name, isItem := strings.CutPrefix(last, "[name="); isItem {
		return strings.TrimSuffix(name, "]")
	}
	return last
}

// namesIn are the keys of a mapping, or the names of a list's items.
func namesIn(v any) map[string]bool {
	names := map[string]bool{}
	switch t := v.(type) {
	case map[string]any:
		for name := range t {
			names[name] = true
		}
	case []any:
		for _, item := range t {
			if name, isText := field(item, "name").(string); isText {
				names[name] = true
			}
		}
	}
	return names
}

func sharesName(v any, names map[string]bool) bool {
	for name := range namesIn(v) {
		if names[name] {
			return true
		}
	}
	return false
}

// withName are keys and items of the values that have the name of what is gone
// from live.
func withName(files []valuesFile, path fieldpath.Path) []candidate {
	last := lastName(path)
	var found []candidate
	seen := map[string]bool{}
	for _, f := range reversed(files) {
		each(f.values, nil, func(p fieldpath.Path, v any) {
			if len(p) == 0 || seen[p.String()] {
				return
			}
			seen[p.String()] = true
			end := p[len(p)-1]
			if end.FieldName != nil && *end.FieldName == last || end.Index != nil && field(v, "name") == last {
				found = append(found, candidate{path: p.Copy(), remove: true})
			}
		})
	}
	return found
}
