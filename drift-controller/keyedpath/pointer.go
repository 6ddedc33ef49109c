// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package keyedpath

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// escape is RFC 6901's, so that a label key with a slash stays one token.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// Pointer writes a path as a keyed JSON pointer; the empty path is "".
func Pointer(p fieldpath.Path) string {
	var b strings.Builder
	for _, element := range p {
		b.WriteByte('/')
		b.WriteString(token(element))
	}
	return b.String()
}

func token(e fieldpath.PathElement) string {
	switch {
	case e.FieldName != nil:
		return escape.Replace(*e.FieldName)
	case e.Key != nil:
		fields := make([]string, 0, len(*e.Key))
		for _, f := range *e.Key {
			fields = append(fields, f.Name+"="+scalar(f.Value))
		}
		return "[" + escape.Replace(strings.Join(fields, ",")) + "]"
	case e.Value != nil:
		return "[=" + escape.Replace(scalar(*e.Value)) + "]"
	case e.Index != nil:
		return strconv.Itoa(*e.Index)
	}
	return ""
}

func scalar(v value.Value) string {
	if v == nil || v.IsNull() {
		return "null"
	}
	return fmt.Sprint(v.Unstructured())
}

// Tokens splits a pointer into its unescaped tokens.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, part := range parts {
		parts[i] = unescape.Replace(part)
	}
	return parts
}

// Within says whether the pointer is the ancestor itself or lies below it.
func Within(pointer, ancestor string) bool {
	return pointer == ancestor || strings.HasPrefix(pointer, ancestor+"/")
}

// FieldPath makes a path of plain field names.
func FieldPath(names ...string) fieldpath.Path {
	p := make(fieldpath.Path, 0, len(names))
	for _, n := range names {
		p = append(p, fieldpath.FieldNameElement(n))
	}
	return p
}
