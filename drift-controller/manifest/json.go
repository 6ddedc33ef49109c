// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"

	kjson "sigs.k8s.io/json"
)

// looksLikeJSON mirrors kubectl: JSON is what begins with a brace or bracket.
// JSON needs a reader of its own, since a YAML reader refuses some of its
// escapes, such as those beyond the first 65,536 characters.
func looksLikeJSON(data []byte) bool {
	data = bytes.TrimLeftFunc(bytes.TrimPrefix(data, []byte("\ufeff")), unicode.IsSpace)
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}

// decodeJSON reads a stream of JSON documents.
func (d Decoder) decodeJSON(file string, data []byte) ([]Object, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	stream := json.NewDecoder(bytes.NewReader(data))
	var objects []Object
	for {
		source := Source{File: file, Line: lineAt(data, nextDocument(data, stream.InputOffset()))}
		var raw json.RawMessage
		if err := stream.Decode(&raw); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			source.Line = lineAt(data, int(jsonOffset(err, stream.InputOffset())))
			return nil, &Error{Kind: ErrSyntax, Source: source, Message: "not readable as JSON: " + err.Error()}
		}
		found, err := d.decodeJSONDocument(source, raw)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
}

func (d Decoder) decodeJSONDocument(source Source, raw []byte) ([]Object, error) {
	var value any
	twice, err := kjson.UnmarshalStrict(raw, &value)
	if err != nil {
		return nil, &Error{Kind: ErrSyntax, Source: source, Message: "not readable as JSON: " + err.Error()}
	}
	c := &converter{file: source.File}
	for _, fault := range twice {
		if !d.LastKeyWins {
			return nil, &Error{Kind: ErrDuplicateKey, Source: source, Message: fault.Error() + ": keep one of the two"}
		}
		c.notes = append(c.notes, fault.Error()+", the last one counts")
	}
	if depth(value, 0) > maxDepth {
		return nil, &Error{Kind: ErrTooComplex, Source: source, Message: fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	if value == nil {
		return nil, nil
	}
	return c.objects(source, value, nil)
}

func nextDocument(data []byte, offset int64) int {
	rest := data[offset:]
	return int(offset) + len(rest) - len(bytes.TrimLeftFunc(rest, unicode.IsSpace))
}

func jsonOffset(err error, fallback int64) int64 {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return syntax.Offset
	}
	return fallback
}

// depth stops counting just past the limit.
func depth(value any, level int) int {
	if level > maxDepth {
		return level
	}
	deepest := level
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, depth(item, level+1))
		}
	case []any:
		for _, item := range v {
			deepest = max(deepest, depth(item, level+1))
		}
	}
	return deepest
}
