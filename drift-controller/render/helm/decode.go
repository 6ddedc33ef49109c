// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// decode reads rendered text, template by template in order.
func (r *release) decode(files map[string]string) ([]manifest.Object, []string, error) {
	// Charts are often somebody else's, and Helm deployed the last of two
	// equal keys: comparing with it is right, keeping silent is not.
	decoder := manifest.Decoder{LastKeyWins: true}
	var all []manifest.Object
	var notes []string
	for _, template := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(template, "NOTES.txt") {
			continue
		}
		objects, err := decoder.Decode(r.place(template), []byte(files[template]))
		if err != nil {
			return nil, nil, r.explainOutput(err)
		}
		for _, object := range objects {
			object.Source.Line = 0 // a line of the output, not of the template
			for _, note := range object.Notes {
				notes = append(notes, object.Source.File+": output: "+note)
			}
			object.Notes = nil
			all = append(all, object)
		}
	}
	return all, notes, nil
}

// crds reads the crds folders of the chart and its dependencies, which are no
// templates.
func (r *release) crds() ([]manifest.Object, error) {
	if r.options.SkipCRDs {
		return nil, nil
	}
	var all []manifest.Object
	for _, crd := range r.chart.CRDObjects() {
		objects, err := manifest.Decoder{LastKeyWins: true}.Decode(r.place(crd.Filename), crd.File.Data)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}
