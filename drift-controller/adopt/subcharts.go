// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"cmp"
	"io/fs"
	"path"

	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/yamledit"
)

// chartFile is what matters of a Chart.yaml.
type chartFile struct {
	Name         string `json:"name"`
	Dependencies []struct {
		Name  string `json:"name"`
		Alias string `json:"alias"`
	} `json:"dependencies"`
}

// subchartValues are the values that the charts in charts/ come with, under the
// keys by which this chart sets them. Nothing is ever written there: a change
// belongs into the values of the whole. A chart that cannot be read, or is
// packed, gives none, and its values are then not traced.
func (m *maker) subchartValues() []valuesFile {
	folder := path.Join(m.source.Dir, "charts")
	entries, err := fs.ReadDir(m.source.Files, folder)
	if err != nil {
		return nil
	}
	var files []valuesFile
	parent := m.chartFile(m.source.Dir)
	for _, e := range entries {
		dir := path.Join(folder, e.Name())
		name := key{name: path.Join(dir, "values.yaml")}
		data, err := m.read(m.edited, name)
		if err != nil {
			continue
		}
		values, err := yamledit.Read(data)
		if err != nil || values == nil {
			continue
		}
		for _, under := range parent.keysOf(cmp.Or(m.chartFile(dir).Name, e.Name())) {
			files = append(files, valuesFile{key: name, chart: true, values: map[string]any{under: values}})
		}
	}
	return files
}

func (m *maker) chartFile(dir string) chartFile {
	var c chartFile
	data, err := m.read(m.edited, key{name: path.Join(dir, "Chart.yaml")})
	if err != nil || yaml.Unmarshal(data, &c) != nil {
		return chartFile{}
	}
	return c
}

// keysOf are the keys under which the values of a chart of that name stand.
func (c chartFile) keysOf(name string) []string {
	var keys []string
	for _, d := range c.Dependencies {
		if d.Name == name {
			keys = append(keys, cmp.Or(d.Alias, d.Name))
		}
	}
	if len(keys) == 0 {
		return []string{name} // Helm takes what lies in charts/ unasked
	}
	return keys
}
