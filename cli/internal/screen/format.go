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
	// Plaintext is what Table is where there is no table in it.
	Plaintext Format = "text"
	Markdown  Format = "markdown"
	SARIF     Format = "sarif"
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

// Findings is a document that also has forms for code hosts.
type Findings interface {
	Document
	// Markdown for a comment on a merge request.
	Markdown() string
	// SARIF is the document of OASIS SARIF 2.1.0 as a value for JSON.
	SARIF() any
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
	case Table, Wide, Plaintext, "":
		return d.Text(s), nil
	}
	if findings, ok := d.(Findings); ok {
		switch f {
		case Markdown:
			return findings.Markdown(), nil
		case SARIF:
			out, err := json.MarshalIndent(findings.SARIF(), "", "  ")
			return string(out) + "\n", err
		}
	}
	return "", fmt.Errorf("format %q is not known", f)
}
