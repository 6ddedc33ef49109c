// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// readValues merges the layers, the weakest first: the chart's own values
// (Helm puts those below by itself), files, then the caller's layers.
func (r *release) readValues(t *tree.Tree) error {
	r.traceChart(r.chart, "", "")
	r.values = map[string]any{}
	for _, file := range r.options.ValuesFiles {
		name, data, err := r.valuesFile(t, file)
		if err != nil {
			return err
		}
		values, err := r.parse(name, data)
		if err != nil {
			return err
		}
		r.values = loader.MergeMaps(r.values, values)
		r.trace.layer(file, "", values)
	}
	for _, layer := range r.options.Layers {
		values, err := r.layerValues(layer)
		if err != nil {
			return err
		}
		r.values = loader.MergeMaps(r.values, values)
		r.trace.layer(layer.Name, "", values)
	}
	r.trace.index()
	return nil
}

func (r *release) valuesFile(t *tree.Tree, file string) (name string, data []byte, err error) {
	base, from := r.dir, t
	if r.options.ValuesTree != nil {
		base, from = ".", r.options.ValuesTree
	}
	if name, err = tree.Join(base, file); err != nil {
		return "", nil, fmt.Errorf("values file %w", err)
	}
	data, err = from.ReadFile(name)
	if errors.Is(err, tree.ErrMissing) {
		return "", nil, &tree.Error{Kind: tree.ErrMissing, Path: name,
			Message: "the values file does not exist: add it, or correct render.helm.valuesFiles, which is relative to the chart"}
	}
	return name, data, err
}

// parse reads values as Helm does, numbers included; a key that stands twice
// is a note, since Helm has always taken the last one.
func (r *release) parse(name string, data []byte) (map[string]any, error) {
	notes, err := manifest.Decoder{LastKeyWins: true}.Check(name, data)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		r.notes = append(r.notes, name+": "+note)
	}
	values, err := loader.LoadValues(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: the values are no mapping", name)
	}
	return values, nil
}

func (r *release) layerValues(layer Layer) (map[string]any, error) {
	if layer.TargetPath == "" {
		return r.parse(layer.Name, layer.Values)
	}
	values := map[string]any{}
	// Only the path is parsed: a value with a comma in it is one value.
	read := func([]rune) (any, error) { return typed(string(layer.Values)), nil }
	if err := strvals.ParseIntoFile(layer.TargetPath+"=x", values, read); err != nil {
		return nil, fmt.Errorf("%s: targetPath %q is not a dotted path of values", layer.Name, layer.TargetPath)
	}
	return values, nil
}

// typed gives text the type that Helm's --set gives it; in quotes it is text.
func typed(text string) any {
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil && (text == "0" || text[0] != '0') {
		return number
	}
	return text
}

// traceChart notes the chart's own values, those of subcharts first: a parent
// overrides them.
func (r *release) traceChart(c *v2.Chart, folder, prefix string) {
	for _, inner := range c.Dependencies() {
		key := cmp.Or(alias(c, inner.Name()), inner.Name())
		r.traceChart(inner, path.Join(folder, "charts", inner.Name()), prefix+key+".")
	}
	r.trace.layer(path.Join(folder, "values.yaml"), prefix, c.Values)
}

func alias(c *v2.Chart, name string) string {
	for _, dependency := range c.Metadata.Dependencies {
		if dependency != nil && dependency.Name == name {
			return dependency.Alias
		}
	}
	return ""
}
