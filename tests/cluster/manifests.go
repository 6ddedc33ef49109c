// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// ErrNoObjects means that there was nothing to apply: a wrong path, most
// likely, and a test over nothing would pass.
var ErrNoObjects = errors.New("no objects found")

func loadFile(path string) ([]*unstructured.Unstructured, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	defer file.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	var objects []*unstructured.Unstructured
	for number := 1; ; number++ {
		var document runtime.RawExtension
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", path, number, err)
		}
		if len(document.Raw) == 0 || string(document.Raw) == "null" {
			continue
		}
		// Unlike a plain map it keeps whole numbers whole.
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(document.Raw); err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", path, number, err)
		}
		if object.GetAPIVersion() == "" || object.GetName() == "" {
			return nil, fmt.Errorf("%s, document %d: needs apiVersion, kind and metadata.name", path, number)
		}
		objects = append(objects, object)
	}
}

func loadDir(dir string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	var err error
	if isKustomization(dir) {
		objects, err = kustomize(dir)
	} else {
		objects, err = walk(dir)
	}
	if err == nil && len(objects) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoObjects)
	}
	return objects, err
}

func isKustomization(dir string) bool {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func kustomize(dir string) ([]*unstructured.Unstructured, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, fmt.Errorf("kustomize build %s: %w", dir, err)
	}
	var objects []*unstructured.Unstructured
	for _, resource := range built.Resources() {
		// Kustomize's own map holds plain ints, which unstructured cannot copy.
		raw, err := resource.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("kustomize build %s: %s: %w", dir, resource.CurId(), err)
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("kustomize build %s: %s: %w", dir, resource.CurId(), err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// walk reads in lexical order, which is the order a reader sees.
func walk(dir string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if extension := filepath.Ext(path); extension != ".yaml" && extension != ".yml" {
			return nil
		}
		loaded, err := loadFile(path)
		objects = append(objects, loaded...)
		return err
	})
	return objects, err
}
