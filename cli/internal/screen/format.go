// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// Format is how a document is printed.
type Format string

// The formats. A verb offers those that make sense for it.
const (
	Table Format = "table"
	Wide  Format = "wide"
	JSON  Format = "json"
	YAML  Format = "yaml"
	Name  Format = "name"
)

// Document is anything that a format can print.
type Document interface {
	// Text for people.
	Text(Style) string
	// Value for programs: it is printed as JSON or YAML.
	Value() any
	// Names as kubectl's -o name prints them, one a line.
	Names() []string
}

// Print gives a document in a format.
func Print(d Document, f Format, s Style) (string, error) {
	switch f {
	case JSON:
		out, err := json.MarshalIndent(d.Value(), "", "  ")
		return string(out) + "\n", err
	case YAML:
		out, err := yaml.Marshal(d.Value())
		return string(out), err
	case Name:
		var text strings.Builder
		for _, name := range d.Names() {
			text.WriteString(name + "\n")
		}
		return text.String(), nil
	case Table, Wide, "":
		return d.Text(s), nil
	default:
		return "", fmt.Errorf("format %q is not known", f)
	}
}
