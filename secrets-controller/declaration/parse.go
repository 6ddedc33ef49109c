// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Object is one manifest, before it is read into the model.
type Object struct {
	Ref secretsv1.ObjectReference
	// Repeats: its document gives a key twice, and parsers differ in which
	// of the two they take.
	Repeats bool
	// Misplaced: a namespace on a cluster-scoped kind.
	Misplaced bool
	fields    map[string]any
}

// Content is the object as a tree, for a schema to look at. It may hold
// values: nothing of it goes into a message.
func (o Object) Content() map[string]any { return o.fields }

// NewObject wraps the content of an object that was not read from a stream,
// such as a live one. A namespace that the content leaves out stays empty.
func NewObject(content map[string]any) Object {
	root := node{value: content}
	meta := root.get("metadata")
	return Object{
		Ref: secretsv1.ObjectReference{
			APIVersion: root.get("apiVersion").text(),
			Kind:       root.get("kind").text(),
			Namespace:  meta.get("namespace").text(),
			Name:       meta.get("name").text(),
		},
		fields: content,
	}
}

func (o Object) root() node { return node{value: o.fields} }

func (o Object) group() string { return groupOf(o.Ref.APIVersion) }

func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// ParseError says where a stream is broken. It carries no text of the
// stream: parsers quote their input, and here the input holds secrets.
type ParseError struct {
	File     string
	Document int // from 1
	Line     int // within the document, 0 when unknown
	Problem  string
}

func (e *ParseError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s: document %d, line %d: %s", e.File, e.Document, e.Line, e.Problem)
	}
	return fmt.Sprintf("%s: document %d: %s", e.File, e.Document, e.Problem)
}

// Parse reads a stream of YAML or JSON documents. Lists are taken apart.
// Either every document is read or the error names the one that is not: a
// declaration read in part would approve what it did not see.
func Parse(file string, stream []byte) ([]Object, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	var objects []Object
	for document := 1; ; document++ {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, &ParseError{File: file, Document: document, Problem: "cannot be read as a YAML stream"}
		}
		found, perr := parseDocument(text)
		if perr != nil {
			perr.File, perr.Document = file, document
			return nil, perr
		}
		objects = append(objects, found...)
	}
}

func parseDocument(text []byte) ([]Object, *ParseError) {
	raw, err := yaml.YAMLToJSONStrict(text)
	repeats := err != nil && strings.Contains(err.Error(), "already set in map")
	if repeats {
		// What the other keys say is still judged; the repetition is a finding.
		raw, err = yaml.YAMLToJSON(text)
	}
	if err != nil {
		return nil, &ParseError{Line: lineOf(err), Problem: "is not valid YAML, or repeats a key"}
	}
	if len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return nil, nil
	}
	var content map[string]any
	if err := json.Unmarshal(raw, &content); err != nil {
		return nil, &ParseError{Problem: "is not an object with fields"}
	}
	objects, perr := flatten(content)
	for i := range objects {
		objects[i].Repeats = repeats
	}
	return objects, perr
}

func flatten(content map[string]any) ([]Object, *ParseError) {
	object := NewObject(content)
	if object.Ref.Kind == "" || object.Ref.APIVersion == "" {
		return nil, &ParseError{Problem: "has no apiVersion or no kind: not a Kubernetes object"}
	}
	items, isList := content["items"].([]any)
	if !isList || !strings.HasSuffix(object.Ref.Kind, "List") {
		return []Object{object}, nil
	}
	var objects []Object
	for i, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, &ParseError{Problem: fmt.Sprintf("item %d of the %s is not an object", i, object.Ref.Kind)}
		}
		found, err := flatten(fields)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

var lineInError = regexp.MustCompile(`\bline (\d+)`)

// lineOf takes the line number, and nothing else, out of a parser's message.
func lineOf(err error) int {
	match := lineInError.FindStringSubmatch(err.Error())
	if match == nil {
		return 0
	}
	line := 0
	for _, digit := range match[1] {
		line = line*10 + int(digit-'0')
	}
	return line
}
