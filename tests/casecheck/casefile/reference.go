// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Reference names an object as cases do: apps/v1 Deployment shop/web.
type Reference struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
}

// ParseReference reads the form that String writes.
func ParseReference(text string) (Reference, error) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return Reference{}, fmt.Errorf("object %q: want APIVERSION KIND [NAMESPACE/]NAME", text)
	}
	r := Reference{APIVersion: fields[0], Kind: fields[1], Name: fields[2]}
	if namespace, name, found := strings.Cut(fields[2], "/"); found {
		r.Namespace, r.Name = namespace, name
	}
	return r, nil
}

// UnmarshalJSON reads the text form.
func (r *Reference) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	parsed, err := ParseReference(text)
	*r = parsed
	return err
}

func (r Reference) String() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return r.APIVersion + " " + r.Kind + " " + name
}

// GVK is the kind with group and version.
func (r Reference) GVK() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
}

// ID is the identity without the version.
func (r Reference) ID() manifest.ID {
	kind := r.GVK()
	return manifest.ID{Group: kind.Group, Kind: kind.Kind, Namespace: r.Namespace, Name: r.Name}
}

// loadInventory gives nil for a file that is not there.
func loadInventory(path string) (map[string][]Reference, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file struct {
		Apps map[string][]Reference `json:"apps"`
	}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return nil, fmt.Errorf("inventory.yaml: %w", err)
	}
	return file.Apps, nil
}
