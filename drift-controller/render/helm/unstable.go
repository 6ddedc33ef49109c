// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"reflect"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// unstable compares two renders field by field. An object that only one of
// them has is unstable as a whole.
func unstable(first, second []manifest.Object) map[manifest.ID][]string {
	found := map[manifest.ID][]string{}
	again := map[manifest.ID]manifest.Object{}
	for _, object := range second {
		again[object.ID()] = object
	}
	for _, object := range first {
		id := object.ID()
		other, both := again[id]
		delete(again, id)
		if !both {
			found[id] = []string{""}
			continue
		}
		if paths := differing("", object.Object, other.Object); len(paths) > 0 {
			found[id] = withServed(object, paths)
		}
	}
	for id := range again {
		found[id] = []string{""}
	}
	return found
}

// withServed adds where the server keeps what is declared elsewhere.
func withServed(object manifest.Object, paths []string) []string {
	if object.GetKind() == "Secret" {
		for _, path := range slices.Clone(paths) {
			if key, isText := strings.CutPrefix(path, "/stringData"); isText {
				paths = append(paths, "/data"+key)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

func differing(path string, a, b any) []string {
	mapA, isMapA := a.(map[string]any)
	mapB, isMapB := b.(map[string]any)
	listA, isListA := a.([]any)
	listB, isListB := b.([]any)
	switch {
	case isMapA && isMapB:
		return differingMaps(path, mapA, mapB)
	case isListA && isListB && len(listA) == len(listB) && named(path, listA) && named(path, listB):
		return differingItems(path, listA, listB)
	case reflect.DeepEqual(a, b):
		return nil
	default:
		return []string{path}
	}
}

func differingMaps(path string, a, b map[string]any) []string {
	var paths []string
	for key, value := range a {
		paths = append(paths, differing(path+"/"+escape.Replace(key), value, b[key])...)
	}
	for key := range b {
		if _, both := a[key]; !both {
			paths = append(paths, path+"/"+escape.Replace(key))
		}
	}
	return paths
}

func differingItems(path string, a, b []any) []string {
	var paths []string
	for i := range a {
		name := nameOf(a[i])
		if name != nameOf(b[i]) {
			return []string{path}
		}
		paths = append(paths, differing(path+"/[name="+escape.Replace(name)+"]", a[i], b[i])...)
	}
	return paths
}

// byName are the lists that the API keys by name alone. In any other list a
// difference counts for the whole list: its keys are not known here.
var byName = []string{"/containers", "/initContainers", "/ephemeralContainers", "/env", "/volumes"}

func named(path string, items []any) bool {
	if !slices.ContainsFunc(byName, func(suffix string) bool { return strings.HasSuffix(path, suffix) }) {
		return false
	}
	return !slices.ContainsFunc(items, func(item any) bool { return nameOf(item) == "" })
}

func nameOf(item any) string {
	fields, _ := item.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// escape is RFC 6901's.
var escape = strings.NewReplacer("~", "~0", "/", "~1")
