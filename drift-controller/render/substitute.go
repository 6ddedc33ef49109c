// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fluxcd/pkg/envsubst"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

const (
	substituteMark = "kustomize.toolkit.fluxcd.io/substitute"
	disabled       = "disabled"
)

var variableName = regexp.MustCompile(`^[_[:alpha:]][_[:alnum:]]*$`)

// substitute replaces variables in the text of objects, as Flux's postBuild
// does: a variable may stand for a number or a boolean, so it has to be done
// in text. Without a wish for it nothing is touched: scripts are full of ${X}.
func (j *job) substitute(objects []manifest.Object) ([]manifest.Object, error) {
	if j.options.Substitute == nil {
		return objects, nil
	}
	values := make(map[string]string, len(j.options.Substitute.Values))
	for name, value := range j.options.Substitute.Values {
		if !variableName.MatchString(name) {
			return nil, fmt.Errorf("render.substitute: %q is no name for a variable: use letters, digits and underscores", name)
		}
		// A line break would end the line of YAML that the value goes into.
		values[name] = strings.ReplaceAll(value, "\n", "")
	}
	replaced := make([]manifest.Object, 0, len(objects))
	for _, object := range objects {
		next, err := substituteOne(object, values)
		if err != nil {
			return nil, err
		}
		replaced = append(replaced, next)
	}
	return replaced, nil
}

func substituteOne(object manifest.Object, values map[string]string) (manifest.Object, error) {
	for _, where := range []string{"annotations", "labels"} {
		if value, _ := mark(object, where, substituteMark); value == disabled {
			return object, nil
		}
	}
	text, err := yaml.Marshal(object.Object)
	if err != nil {
		return object, fmt.Errorf("%s: %s cannot be written as YAML", object.Source, object.ID())
	}
	if !strings.Contains(string(text), "$") {
		return object, nil
	}
	missing := ""
	result, err := envsubst.Eval(string(text), func(name string) (string, bool) {
		value, defined := values[name]
		if !defined {
			missing = name
		}
		return value, defined
	})
	if err != nil {
		return object, substituteError(object, missing)
	}
	next, err := manifest.Decode(object.Source.File, []byte(result))
	if err != nil || len(next) != 1 {
		return object, fmt.Errorf("%s: %s is no manifest any more once its variables are replaced: quote them", object.Source, object.ID())
	}
	next[0].Source, next[0].Notes = object.Source, object.Notes
	return next[0], nil
}

// substituteError does not pass on the text of the cause, which may quote the
// object.
func substituteError(object manifest.Object, missing string) error {
	fault := "has a ${…} that cannot be read"
	if missing != "" {
		fault = fmt.Sprintf("uses the variable %s, which is not defined", missing)
	}
	return fmt.Errorf("%s: %s %s: define it in render.substitute, write $${…} for a literal, or set the annotation %s: %s",
		object.Source, object.ID(), fault, substituteMark, disabled)
}
