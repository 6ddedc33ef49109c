// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"

	"go.yaml.in/yaml/v3"
)

// Decoder reads manifests. The zero value is strict.
type Decoder struct {
	// LastKeyWins takes the last of two equal mapping keys and leaves a note,
	// as Helm and kubectl do silently. It is meant for the output of templates
	// that belong to somebody else: what they deployed is the last one, so
	// that is what has to be compared.
	LastKeyWins bool
}

// Decode reads a file of YAML or JSON documents with the strict decoder.
func Decode(file string, data []byte) ([]Object, error) {
	return Decoder{}.Decode(file, data)
}

// Decode reads every document of a file. Empty documents are skipped, lists
// stand for their items. An error names file and line and is an *Error.
func (d Decoder) Decode(file string, data []byte) ([]Object, error) {
	if !looksLikeJSON(data) {
		return d.decodeYAML(file, data)
	}
	objects, jsonErr := d.decodeJSON(file, data)
	if jsonErr == nil || !errors.Is(jsonErr, ErrSyntax) {
		return objects, jsonErr
	}
	// A brace may also open YAML in flow style.
	objects, err := d.decodeYAML(file, data)
	if err != nil && path.Ext(file) == ".json" {
		return nil, jsonErr
	}
	return objects, err
}

// Check reads a file for faults of the text alone: syntax, equal keys and
// complexity. It is for YAML that is no Kubernetes object, such as Helm values;
// the notes are those of Decoder.LastKeyWins.
func (d Decoder) Check(file string, data []byte) (notes []string, err error) {
	_, err = d.readYAML(file, data, func(c *converter, document *yaml.Node) ([]Object, error) {
		c.notes = nil
		_, err := c.document(document)
		notes = append(notes, c.notes...)
		return nil, err
	})
	return notes, err
}

// FromNode reads a document of kustomize, and gives what kustomize prints for
// it: an unquoted yes is text, an unquoted date is a time.
func FromNode(source Source, node *yaml.Node) ([]Object, error) {
	c := &converter{file: source.File, datesAsTimes: true}
	value, err := c.document(node)
	if err != nil {
		return nil, err
	}
	return c.objects(source, value, nil)
}

func (d Decoder) decodeYAML(file string, data []byte) ([]Object, error) {
	return d.readYAML(file, data, (*converter).decodeDocument)
}

type documentFunc func(*converter, *yaml.Node) ([]Object, error)

func (d Decoder) readYAML(file string, data []byte, read documentFunc) (objects []Object, err error) {
	// The YAML reader panics on a few malformed comments; hostile text must
	// cost its own application a render, not everybody the controller.
	defer func() {
		if cause := recover(); cause != nil {
			objects, err = nil, &Error{Kind: ErrSyntax, Source: Source{File: file},
				Message: fmt.Sprintf("the YAML reader gave up: %v", cause)}
		}
	}()
	documents := yaml.NewDecoder(bytes.NewReader(data))
	c := &converter{file: file, words11: true, lastKeyWins: d.LastKeyWins}
	for {
		var document yaml.Node
		if err := documents.Decode(&document); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, syntaxError(file, data, err)
		}
		found, err := read(c, &document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
}

func (c *converter) decodeDocument(document *yaml.Node) ([]Object, error) {
	c.notes = nil
	value, err := c.document(document)
	if err != nil || value == nil {
		return nil, err
	}
	return c.objects(Source{File: c.file, Line: firstLine(document)}, value, itemLines(document))
}

// firstLine is where the content of a document begins; its separator and the
// comments above it are no help to a reader.
func firstLine(document *yaml.Node) int {
	if len(document.Content) == 0 {
		return document.Line
	}
	return document.Content[0].Line
}
