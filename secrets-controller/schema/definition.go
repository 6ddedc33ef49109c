// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// Schema is the schema of one version of a kind.
type Schema struct {
	root map[string]any
	// Served says whether the version is served.
	Served bool
}

// Known says whether there is a schema.
func (s Schema) Known() bool { return s.root != nil }

// Definition is what a CustomResourceDefinition says about its versions.
type Definition struct {
	Group, Kind string
	Versions    map[string]Schema
}

// ReadDefinition takes the schemas out of a CustomResourceDefinition.
func ReadDefinition(content map[string]any) (Definition, error) {
	spec, _ := content["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	out := Definition{Versions: map[string]Schema{}}
	out.Group, _ = spec["group"].(string)
	out.Kind, _ = names["kind"].(string)
	versions, _ := spec["versions"].([]any)
	for _, item := range versions {
		version, _ := item.(map[string]any)
		name, _ := version["name"].(string)
		schema, _ := version["schema"].(map[string]any)
		root, _ := schema["openAPIV3Schema"].(map[string]any)
		served, _ := version["served"].(bool)
		out.Versions[name] = Schema{root: root, Served: served}
	}
	if out.Group == "" || out.Kind == "" || len(out.Versions) == 0 {
		return Definition{}, fmt.Errorf("not a CustomResourceDefinition: it needs spec.group, spec.names.kind and spec.versions")
	}
	return out, nil
}

//go:embed crd/*.yaml
var files embed.FS

// Bundled are the definitions that come with the package, by group/Kind.
var bundled = sync.OnceValues(func() (map[string]Definition, error) {
	entries, err := files.ReadDir("crd")
	if err != nil {
		return nil, err
	}
	out := map[string]Definition{}
	for _, entry := range entries {
		text, err := files.ReadFile("crd/" + entry.Name())
		if err != nil {
			return nil, err
		}
		var content map[string]any
		if err := yaml.Unmarshal(text, &content); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		definition, err := ReadDefinition(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		out[definition.Group+"/"+definition.Kind] = definition
	}
	return out, nil
})

// Bundled gives the schema of a kind that comes with the package.
func Bundled(apiVersion, kind string) (Schema, bool) {
	group, version, _ := strings.Cut(apiVersion, "/")
	all, err := bundled()
	if err != nil {
		return Schema{}, false
	}
	schema, has := all[group+"/"+kind].Versions[version]
	return schema, has && schema.Known()
}

// field goes down by the names of fields.
func (s Schema) field(path ...string) map[string]any {
	node := s.root
	for _, name := range path {
		properties, _ := node["properties"].(map[string]any)
		node, _ = properties[name].(map[string]any)
	}
	return node
}

// HasField says whether the schema knows a field.
func (s Schema) HasField(path ...string) bool { return s.field(path...) != nil }

// WantsInteger says whether a version wants a number at a field.
func (d Definition) WantsInteger(version string, path ...string) bool {
	node := d.Versions[version].field(path...)
	free, _ := node["x-kubernetes-int-or-string"].(bool)
	return node["type"] == "integer" && !free
}
