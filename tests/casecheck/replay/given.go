// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"embed"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// given is what cases take for granted on every cluster: the definitions of
// External Secrets Operator, generated from its API module.
//
//go:embed given/*.yaml
var given embed.FS

func givenObjects() ([]*unstructured.Unstructured, error) {
	entries, err := given.ReadDir("given")
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, entry := range entries {
		data, err := given.ReadFile("given/" + entry.Name())
		if err != nil {
			return nil, err
		}
		objects, err := manifest.Decode(entry.Name(), data)
		if err != nil {
			return nil, fmt.Errorf("given objects: %w", err)
		}
		all = append(all, contents(objects)...)
	}
	return all, nil
}
