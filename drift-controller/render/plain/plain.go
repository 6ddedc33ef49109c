// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// Output is what a folder gives.
type Output struct {
	Objects []manifest.Object
	Notes   []string
}

func (o *Output) add(other Output) {
	o.Objects = append(o.Objects, other.Objects...)
	o.Notes = append(o.Notes, other.Notes...)
}

// Inner renders a folder below the first that has a renderer of its own;
// handled is false for an ordinary folder.
type Inner func(dir string) (out Output, handled bool, err error)

// Render reads every manifest below dir, in the order of paths.
func Render(t *tree.Tree, dir string, inner Inner) (Output, error) {
	entries, err := t.List(dir)
	if err != nil {
		return Output{}, err
	}
	var out Output
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name, ".") {
			continue
		}
		found, err := renderEntry(t, dir, entry, inner)
		if err != nil {
			return Output{}, err
		}
		out.add(found)
	}
	return out, nil
}

func renderEntry(t *tree.Tree, dir string, entry tree.Entry, inner Inner) (Output, error) {
	name := path.Join(dir, entry.Name)
	switch {
	case entry.Kind == tree.Dir && entry.Link:
		// Following it could go round in circles, and count objects twice.
		return Output{Notes: []string{fmt.Sprintf("%s: a symbolic link to a folder is not followed", name)}}, nil
	case entry.Kind == tree.Dir:
		if out, handled, err := inner(name); handled || err != nil {
			return out, err
		}
		return Render(t, name, inner)
	case !isManifest(entry.Name):
		return Output{}, nil
	case isKustomization(entry.Name):
		return Output{Notes: []string{fmt.Sprintf("%s: not used, since the plain renderer is chosen", name)}}, nil
	}
	data, err := t.ReadFile(name)
	if err != nil {
		return Output{}, err
	}
	objects, err := manifest.Decode(name, data)
	if errors.Is(err, manifest.ErrNotObject) {
		return Output{}, fmt.Errorf("%w; plain rendering reads every YAML and JSON file below the path: "+
			"move this one away, list it in .sourceignore, or choose the helm or kustomize renderer", err)
	}
	return Output{Objects: objects}, err
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

func isKustomization(name string) bool {
	return name == "kustomization.yaml" || name == "kustomization.yml"
}
