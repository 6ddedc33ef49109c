// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// kustomization examines a kustomization file and gives the text that
// kustomize may read.
func (f *fileSystem) kustomization(name string, data []byte) ([]byte, error) {
	// kustomize takes the last of two equal keys here without a word, which
	// has dropped whole generators.
	if _, err := (manifest.Decoder{}).Check(name, data); err != nil {
		return nil, err
	}
	var k types.Kustomization
	if err := k.Unmarshal(data); err != nil {
		return nil, fmt.Errorf("%s: %s", name, tidy(err.Error()))
	}
	k.FixKustomization()
	if name == f.root {
		f.keepOrigins = slices.Contains(k.BuildMetadata, types.OriginAnnotations)
		override(&k, f.overrides)
		text, err := yaml.Marshal(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		data = text
	}
	f.customSchema = f.customSchema || len(k.OpenAPI) > 0
	return data, f.examine(name, k)
}

// examine refuses what would make kustomize look outside of the tree, and
// names what is missing: kustomize would try it as a file, as a folder and as
// a repository, and report all three.
func (f *fileSystem) examine(name string, k types.Kustomization) error {
	if len(k.HelmCharts) > 0 {
		return fmt.Errorf("%s: helmCharts are not inflated, since that downloads charts and runs helm: "+
			"render the chart with an Application of its own, or commit its output", name)
	}
	for _, reference := range slices.Concat(k.Resources, k.Components) {
		if err := f.present(name, "resource", reference); err != nil {
			return err
		}
	}
	for _, plugin := range slices.Concat(k.Generators, k.Transformers, k.Validators) {
		if isInline(plugin) {
			if err := examinePlugins(name, []byte(plugin)); err != nil {
				return err
			}
			continue
		}
		if err := f.present(name, "plugin", plugin); err != nil {
			return err
		}
	}
	for _, reference := range loadedFiles(k) {
		if err := f.present(name, "file", reference); err != nil {
			return err
		}
	}
	return nil
}

// present says whether a reference of a kustomization file is in the tree.
func (f *fileSystem) present(name, what, reference string) error {
	if isRemote(reference) {
		return fmt.Errorf("%s: %s %s is remote and is not fetched: "+
			"commit a copy of it, or make it a source of its own", name, what, withoutPassword(reference))
	}
	joined, err := tree.Join(path.Dir(name), reference)
	if err != nil {
		return &tree.Error{Kind: tree.ErrLeaves, Path: name, Message: fmt.Sprintf("%s %s leaves the repository", what, reference)}
	}
	kind, err := f.tree.Kind(joined)
	if err != nil {
		return err
	}
	if kind == tree.Absent {
		return &tree.Error{Kind: tree.ErrMissing, Path: name,
			Message: fmt.Sprintf("%s %s does not exist: add it, or take it out of the kustomization", what, reference)}
	}
	return nil
}

// loadedFiles are all other files that a kustomization may name.
func loadedFiles(k types.Kustomization) []string {
	files := slices.Concat(k.Crds, k.Configurations)
	if schema, set := k.OpenAPI["path"]; set {
		files = append(files, schema)
	}
	for _, patch := range slices.Concat(k.Patches, k.PatchesJson6902) {
		files = append(files, patch.Path)
	}
	for _, patch := range k.PatchesStrategicMerge {
		if !isInline(string(patch)) {
			files = append(files, string(patch))
		}
	}
	for _, replacement := range k.Replacements {
		files = append(files, replacement.Path)
	}
	for _, generator := range k.ConfigMapGenerator {
		files = append(files, sourceFiles(generator.KvPairSources)...)
	}
	for _, generator := range k.SecretGenerator {
		files = append(files, sourceFiles(generator.KvPairSources)...)
	}
	return slices.DeleteFunc(files, func(file string) bool { return file == "" })
}

func sourceFiles(sources types.KvPairSources) []string {
	files := slices.Clone(sources.EnvSources)
	for _, source := range sources.FileSources {
		if _, file, keyed := strings.Cut(source, "="); keyed {
			source = file
		}
		files = append(files, source)
	}
	return files
}

// pluginFiles are the fields by which kustomize's built-in plugins load files.
var pluginFiles = []string{"path", "paths", "files", "envs", "env", "targetFilePath"}

// examinePlugins looks at configurations of built-in plugins, which name files
// of their own.
func examinePlugins(name string, data []byte) error {
	if !bytes.Contains(data, []byte("builtin")) {
		return nil
	}
	documents := yaml3.NewDecoder(bytes.NewReader(data))
	for {
		var document map[string]any
		if documents.Decode(&document) != nil {
			return nil // the end, or nothing that kustomize could read either
		}
		if document["apiVersion"] != "builtin" {
			continue
		}
		if document["kind"] == "HelmChartInflationGenerator" {
			return fmt.Errorf("%s: charts are not inflated: render the chart with an Application of its own", name)
		}
		if reference := remoteIn(document); reference != "" {
			return fmt.Errorf("%s: file %s is remote and is not fetched: commit a copy of it", name, withoutPassword(reference))
		}
	}
}

func remoteIn(value any) string {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if slices.Contains(pluginFiles, key) {
				if found := remoteFile(item); found != "" {
					return found
				}
			}
			if found := remoteIn(item); found != "" {
				return found
			}
		}
	case []any:
		for _, item := range v {
			if found := remoteIn(item); found != "" {
				return found
			}
		}
	}
	return ""
}

func remoteFile(value any) string {
	items, isList := value.([]any)
	if !isList {
		items = []any{value}
	}
	for _, item := range items {
		text, _ := item.(string)
		if _, file, keyed := strings.Cut(text, "="); keyed && isRemote(file) {
			return file
		}
		if isRemote(text) {
			return text
		}
	}
	return ""
}

// isInline tells text in place of a file name.
func isInline(text string) bool {
	return strings.ContainsAny(text, "\n{") || strings.Contains(text, ": ")
}

var userAt = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*@`)

// isRemote covers every form that kustomize takes for a URL or a repository.
func isRemote(reference string) bool {
	lower := strings.TrimPrefix(strings.ToLower(reference), "git::")
	for _, prefix := range []string{"http:", "https:", "github.com/", "github.com:"} {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return strings.Contains(lower, "://") || userAt.MatchString(lower)
}

var password = regexp.MustCompile(`(://)[^/@\s]*@`)

// withoutPassword takes credentials out of a URL before it is shown.
func withoutPassword(reference string) string {
	return password.ReplaceAllString(reference, "$1")
}
