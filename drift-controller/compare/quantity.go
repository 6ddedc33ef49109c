// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Quantities are the places at which the kinds of a document hold quantities by
// their schema. The server keeps those of a custom resource word for word, so
// that 1000m and 1 are two texts to it; an operator that reads and writes its
// object back makes one of the other, and nothing has changed.
type Quantities map[schema.GroupVersionKind]*numbers

// numbers is a schema with nothing left of it but the ways to quantities.
type numbers struct {
	here   bool
	fields map[string]*numbers
	each   *numbers // of a list's items, or of a map's values
}

// QuantitiesIn reads a document of schemas.
func QuantitiesIn(schemas map[string]*spec.Schema) Quantities {
	found := Quantities{}
	for _, s := range schemas {
		for _, kind := range kindsOf(s) {
			if n := numbersIn(s); n != nil {
				found[kind] = n
			}
		}
	}
	return found
}

// kindsOf reads the extension by which a schema names the kinds that it is of.
func kindsOf(s *spec.Schema) []schema.GroupVersionKind {
	list, _ := s.Extensions["x-kubernetes-group-version-kind"].([]any)
	var kinds []schema.GroupVersionKind
	for _, item := range list {
		names, _ := item.(map[string]any)
		text := func(name string) string {
			word, _ := names[name].(string)
			return word
		}
		kinds = append(kinds, schema.GroupVersionKind{Group: text("group"), Version: text("version"), Kind: text("kind")})
	}
	return kinds
}

// numbersIn gives nil where no quantity lies below. It follows no reference:
// the schema of a custom resource has none but for its metadata.
func numbersIn(s *spec.Schema) *numbers {
	n := &numbers{here: isQuantity(s)}
	for name := range s.Properties {
		property := s.Properties[name]
		if below := numbersIn(&property); below != nil {
			if n.fields == nil {
				n.fields = map[string]*numbers{}
			}
			n.fields[name] = below
		}
	}
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		n.each = numbersIn(s.Items.Schema)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		n.each = numbersIn(s.AdditionalProperties.Schema)
	}
	if !n.here && n.fields == nil && n.each == nil {
		return nil
	}
	return n
}

// isQuantity: the generators of definitions write a quantity as an integer or
// a text with its suffixes in the pattern.
func isQuantity(s *spec.Schema) bool {
	either, _ := s.Extensions["x-kubernetes-int-or-string"].(bool)
	return either && strings.Contains(s.Pattern, "KMGTPE") || s.Format == "quantity"
}

func (n *numbers) at(p fieldpath.Path) *numbers {
	for _, element := range p {
		if n == nil {
			return nil
		}
		below := n.each
		if element.FieldName != nil && n.fields[*element.FieldName] != nil {
			below = n.fields[*element.FieldName]
		}
		n = below
	}
	return n
}

// same says whether two values differ by nothing but the notation of numbers.
func (n *numbers) same(a, b any) bool {
	if n == nil {
		return equal(a, b)
	}
	if n.here {
		return equal(a, b) || sameQuantity(a, b)
	}
	switch t := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		return ok && n.sameFields(t, other)
	case []any:
		other, ok := b.([]any)
		if !ok || len(t) != len(other) {
			return false
		}
		for i := range t {
			if !n.each.same(t[i], other[i]) {
				return false
			}
		}
		return true
	}
	return equal(a, b)
}

func (n *numbers) sameFields(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, field := range a {
		other, ok := b[name]
		below := n.each
		if n.fields[name] != nil {
			below = n.fields[name]
		}
		if !ok || !below.same(field, other) {
			return false
		}
	}
	return true
}

func sameQuantity(a, b any) bool {
	one, err := quantity(a)
	if err != nil {
		return false
	}
	other, err := quantity(b)
	return err == nil && one.Cmp(other) == 0
}

func quantity(v any) (resource.Quantity, error) {
	switch v.(type) {
	case string, int64, float64:
		return resource.ParseQuantity(fmt.Sprint(v))
	}
	return resource.Quantity{}, resource.ErrFormatWrong
}

var resourceList = reflect.TypeFor[corev1.ResourceList]()

// roundUp does to a typed object what the server's defaulting does wherever
// resources are listed: no part of a number below a thousandth is kept.
func roundUp(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			roundUp(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				roundUp(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			roundUp(v.Index(i))
		}
	case reflect.Map:
		roundUpList(v)
	default:
	}
}

func roundUpList(v reflect.Value) {
	list, ok := v.Interface().(corev1.ResourceList)
	if v.Type() != resourceList || !ok {
		return
	}
	for name, q := range list {
		q.RoundUp(resource.Milli)
		list[name] = q
	}
}
