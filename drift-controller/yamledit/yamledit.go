// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Edit is a change of one value.
type Edit struct {
	Path fieldpath.Path
	// Value is what stands at the path afterwards. Mappings and list items on
	// the way to it are made where they are missing.
	Value any
	// Remove takes away what stands there instead.
	Remove bool
}

// The ways in which an edit can be impossible.
var (
	// ErrSyntax: the text is no YAML that can be edited.
	ErrSyntax = errors.New("cannot be read")
	// ErrNoDocument: nothing begins at that line.
	ErrNoDocument = errors.New("no such document")
	// ErrShared: an anchor or a merge shares the value with another place.
	ErrShared = errors.New("shared by an anchor")
	// ErrShape: the path does not lead through this text.
	ErrShape = errors.New("does not fit the text")
)

// Apply makes an edit in the document or list item that begins at the line, or
// in the first document if the line is 0.
func Apply(data []byte, line int, e Edit) ([]byte, error) {
	if len(e.Path) == 0 {
		return nil, fmt.Errorf("%w: the path is empty", ErrShape)
	}
	before, err := parse(data)
	if err != nil {
		return nil, err
	}
	if len(before) == 0 && line == 0 && !e.Remove {
		return appendDocument(data, e)
	}
	found, err := documentAt(before, line)
	if err != nil {
		return nil, err
	}
	ed := &editor{text: newText(data), root: found.root}
	after, err := ed.apply(e)
	if err != nil {
		return nil, at(err, found.root.Line)
	}
	e.Path = append(found.prefix, e.Path...)
	if err := prove(before, after, found.document, e); err != nil {
		return nil, at(err, found.root.Line)
	}
	return after, nil
}

func at(err error, line int) error { return fmt.Errorf("in the document at line %d: %w", line, err) }

// appendDocument writes into a file that has no content yet, perhaps comments.
func appendDocument(data []byte, e Edit) ([]byte, error) {
	text := newText(data)
	block, err := blockText(nest(e.Path, e.Value), "")
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(data)
	if len(out) > 0 && text.lineStart(len(out)) != len(out) {
		out = append(out, text.newline...)
	}
	out = append(out, text.ended(block+"\n")...)
	read, err := parse(out)
	if err != nil {
		return nil, err
	}
	if len(read) != 1 {
		return nil, fmt.Errorf("%w: the file has no place for a first value", ErrShape)
	}
	value, err := decode(read[0])
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(value, normal(nest(e.Path, e.Value))) {
		return nil, fmt.Errorf("%w: the file has no place for a first value", ErrShape)
	}
	return out, nil
}

// parse reads the documents; the YAML reader panics on a few malformed texts.
func parse(data []byte) (documents []*yaml.Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			documents, err = nil, fmt.Errorf("%w: the YAML reader gave up: %v", ErrSyntax, cause)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return documents, nil
		} else if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
		}
		documents = append(documents, &document)
	}
}

// object is what begins at a line, and where in which document it stands.
type object struct {
	document int
	root     *yaml.Node
	prefix   fieldpath.Path
}

// documentAt finds what begins at a line: a document, or an item of a List.
func documentAt(documents []*yaml.Node, line int) (object, error) {
	for i, document := range documents {
		if len(document.Content) == 0 {
			continue
		}
		root := document.Content[0]
		if line == 0 || root.Line == line {
			return object{document: i, root: root}, nil
		}
		items := fieldOf(root, "items")
		if items == nil || items.Kind != yaml.SequenceNode {
			continue
		}
		for j, item := range items.Content {
			if item.Line == line {
				prefix := append(keyedpath.FieldPath("items"), fieldpath.PathElement{Index: &j})
				return object{document: i, root: item, prefix: prefix}, nil
			}
		}
	}
	return object{}, fmt.Errorf("%w: nothing begins at line %d", ErrNoDocument, line)
}

func fieldOf(mapping *yaml.Node, name string) *yaml.Node {
	if i := indexOfKey(mapping, name); i >= 0 {
		return mapping.Content[i+1]
	}
	return nil
}

func indexOfKey(mapping *yaml.Node, name string) int {
	if mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; key.Kind == yaml.ScalarNode && key.Value == name && key.ShortTag() != "!!merge" {
			return i
		}
	}
	return -1
}

// prove reads both texts: the new one says what the old one says, but for the
// one value.
func prove(before []*yaml.Node, after []byte, n int, e Edit) error {
	documents, err := parse(after)
	if err != nil {
		return fmt.Errorf("%w: the edit would break the text", ErrShape)
	}
	if len(documents) != len(before) {
		return fmt.Errorf("%w: the edit would change where documents end", ErrShape)
	}
	for i := range before {
		want, err := decode(before[i])
		if err != nil {
			return err
		}
		if i == n {
			if want, err = Changed(want, e); err != nil {
				return err
			}
		}
		got, err := decode(documents[i])
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(want, got) {
			return fmt.Errorf("%w: other values would change with %s", ErrShared, keyedpath.Pointer(e.Path))
		}
	}
	return nil
}
