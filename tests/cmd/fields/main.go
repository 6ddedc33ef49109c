// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command fields writes docs/fields.md: every field of our own kinds.
//
// Input: the folder of the CRDs. Output: one page of Markdown on standard
// output, in the order of the kinds and of the fields' names. It says nothing
// that a CRD does not say.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "fields: name the folder of the CRDs")
		os.Exit(2)
	}
	text, err := page(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fields:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

const head = `# Every field

Generated from the CRDs: ` + "`make generate`" + ` writes it, and a test fails while it differs. What the fields are for together is in [concepts.md](concepts.md). A list's items are marked with [], a map's values with {}.
`

func page(folder string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return "", fmt.Errorf("looking for CRDs: %w", err)
	}
	if len(paths) == 0 {
		return "", fmt.Errorf("%s holds no CRD: run make generate", folder)
	}
	slices.Sort(paths)
	var b strings.Builder
	b.WriteString(head)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("reading a CRD: %w", err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &crd); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		for _, version := range crd.Spec.Versions {
			kind(&b, crd, version)
		}
	}
	return b.String(), nil
}

func kind(b *strings.Builder, crd apiextensionsv1.CustomResourceDefinition, version apiextensionsv1.CustomResourceDefinitionVersion) {
	schema := version.Schema.OpenAPIV3Schema
	scope := "namespaced"
	if crd.Spec.Scope == apiextensionsv1.ClusterScoped {
		scope = "cluster-scoped"
	}
	fmt.Fprintf(b, "\n## %s\n\n%s of %s, %s. %s\n", crd.Spec.Names.Kind, version.Name, crd.Spec.Group, scope, oneLine(schema.Description))
	for _, part := range []string{"spec", "status"} {
		properties, found := schema.Properties[part]
		if !found {
			continue
		}
		fmt.Fprintf(b, "\n| %s | type | |\n|---|---|---|\n", part)
		fields(b, "", properties)
	}
}

// fields writes a line for each field, the nested below the one they are in.
func fields(b *strings.Builder, prefix string, schema apiextensionsv1.JSONSchemaProps) {
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := schema.Properties[name]
		fmt.Fprintf(b, "| %s%s | %s | %s |\n", prefix, name, typeOf(p), notes(p, slices.Contains(schema.Required, name)))
		inside, mark := within(p)
		fields(b, prefix+name+mark+".", inside)
	}
}

// within is the schema whose properties belong below a field.
func within(p apiextensionsv1.JSONSchemaProps) (apiextensionsv1.JSONSchemaProps, string) {
	switch {
	case p.Items != nil && p.Items.Schema != nil:
		return *p.Items.Schema, "[]"
	case p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil:
		return *p.AdditionalProperties.Schema, "{}"
	}
	return p, ""
}

func typeOf(p apiextensionsv1.JSONSchemaProps) string {
	if p.XIntOrString {
		return "integer or string"
	}
	inside, mark := within(p)
	switch mark {
	case "[]":
		return "list of " + inside.Type
	case "{}":
		return "map of " + inside.Type
	}
	return p.Type
}

// notes are what a field says beside its type: whether it must be there, what
// it may be, and what it is for.
func notes(p apiextensionsv1.JSONSchemaProps, required bool) string {
	var parts []string
	if required {
		parts = append(parts, "Required.")
	}
	if p.Default != nil {
		parts = append(parts, "Default `"+string(p.Default.Raw)+"`.")
	}
	values := p
	if p.Items != nil && p.Items.Schema != nil {
		values = *p.Items.Schema
	}
	if len(values.Enum) > 0 {
		var words []string
		for _, v := range values.Enum {
			words = append(words, strings.Trim(string(v.Raw), `"`))
		}
		parts = append(parts, "One of "+strings.Join(words, ", ")+".")
	}
	return strings.TrimSpace(strings.Join(append(parts, oneLine(p.Description)), " "))
}

// oneLine makes a description fit for a cell of a table.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
