// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/v2"
)

const schemaFile = "values.schema.json"

var errElsewhere = errors.New("the schema refers to another one elsewhere")

// nowhere loads no schema: Helm would fetch those of other hosts and read
// those of other files. It remembers that it was asked, since the compiler's
// errors do not pass on their cause.
type nowhere struct{ asked bool }

func (n *nowhere) Load(string) (any, error) {
	n.asked = true
	return nil, errElsewhere
}

// validate holds the values against the schemas of the chart and of its
// dependencies, as Helm does. A schema that refers to another one elsewhere
// cannot be judged: that is a note and no fault of the values.
func (r *release) validate(c *v2.Chart, folder string, values map[string]any) error {
	name := path.Join(folder, schemaFile)
	if c.Schema != nil {
		err := validateOne(c.Schema, values)
		switch {
		case errors.Is(err, errElsewhere):
			r.notes = append(r.notes, name+": the schema refers to one elsewhere, which is not fetched: the values were not validated")
		case err != nil:
			return fmt.Errorf("%s: the values do not fit: %w%s", name, err, r.valueFiles())
		}
	}
	for _, inner := range c.Dependencies() {
		below, isMap := values[inner.Name()].(map[string]any)
		if !isMap {
			continue
		}
		if err := r.validate(inner, path.Join(folder, "charts", inner.Name()), below); err != nil {
			return err
		}
	}
	return nil
}

func validateOne(schema []byte, values map[string]any) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the schema cannot be used: %v", cause)
		}
	}()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return errors.New("the schema is not readable as JSON")
	}
	const root = "file:///" + schemaFile
	compiler := jsonschema.NewCompiler()
	elsewhere := &nowhere{}
	compiler.UseLoader(elsewhere)
	if err := compiler.AddResource(root, document); err != nil {
		return err
	}
	compiled, err := compiler.Compile(root)
	if elsewhere.asked {
		return errElsewhere
	}
	if err != nil {
		return err
	}
	err = compiled.Validate(values)
	var fault *jsonschema.ValidationError
	if errors.As(err, &fault) {
		_, causes, _ := strings.Cut(fault.Error(), "\n")
		return errors.New(strings.Join(strings.Fields(causes), " "))
	}
	return err
}
