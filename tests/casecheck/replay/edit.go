// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Edit is a value that somebody changes by hand.
type Edit struct {
	Path  string // with list items by position
	Value any    // as it is now
}

// Edit tries variants of the value until the server accepts one that it really
// stores differently; false if it accepts none.
func (s *Stage) Edit(ctx context.Context, object *unstructured.Unstructured, edit Edit, manager string) (bool, error) {
	endpoint, err := s.resource(object)
	if err != nil {
		return false, err
	}
	for _, variant := range variants(edit.Value) {
		patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": edit.Path, "value": variant}})
		if err != nil {
			return false, fmt.Errorf("edit of %s: %w", place(object), err)
		}
		got, err := endpoint.Patch(ctx, object.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: manager})
		if err != nil && !refused(err) {
			return false, fmt.Errorf("edit of %s: %w", place(object), err)
		}
		if err == nil && got.GetResourceVersion() != object.GetResourceVersion() {
			return true, nil
		}
	}
	return false, nil
}

// Label puts a label on an object by hand; false if the server does not take it.
func (s *Stage) Label(ctx context.Context, object *unstructured.Unstructured, name, manager string) (bool, error) {
	endpoint, err := s.resource(object)
	if err != nil {
		return false, err
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"by-hand"}}}`, name)
	_, err = endpoint.Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manager})
	if err != nil && !refused(err) {
		return false, fmt.Errorf("label on %s: %w", place(object), err)
	}
	return err == nil, nil
}

// refused: the value is not one that the field can take.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) ||
		apierrors.IsInternalError(err)
}

// Value reads what stands at a path with positions; a Secret's data counts as
// text as well.
func Value(object *unstructured.Unstructured, path string) (value any, isText bool) {
	var at any = object.Object
	for _, token := range keyedpath.Tokens(path) {
		switch t := at.(type) {
		case map[string]any:
			at = t[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(t) {
				return nil, false
			}
			at = t[i]
		default:
			return nil, false
		}
	}
	_, isText = at.(string)
	return at, isText
}

// variants are other values of the same kind, the likeliest to be accepted
// first. Of a list or map one part is changed.
func variants(v any) []any {
	switch t := v.(type) {
	case string:
		return textVariants(t)
	case int64:
		return []any{t + 1, t - 1}
	case float64:
		return []any{t + 1, t / 2}
	case bool:
		return []any{!t}
	case []any:
		return listVariants(t)
	case map[string]any:
		return mapVariants(t)
	}
	return nil
}

func textVariants(text string) []any {
	switch text {
	case "true":
		return []any{"false", "true-edited"}
	case "false":
		return []any{"true", "false-edited"}
	}
	all := []any{text + "-edited", base64.StdEncoding.EncodeToString([]byte(text + "-edited"))}
	if quantity, err := resource.ParseQuantity(text); err == nil {
		quantity.Add(quantity)
		all = append(all, quantity.String())
	}
	if digits := strings.TrimRight(text, "0123456789"); digits != text {
		all = append(all, digits+"7")
	}
	return append(all, "edited")
}

func listVariants(list []any) []any {
	var all []any
	for i, item := range list {
		for _, changed := range variants(item) {
			copied := slices.Clone(list)
			copied[i] = changed
			all = append(all, copied)
		}
	}
	return all
}

func mapVariants(fields map[string]any) []any {
	var all []any
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, changed := range variants(fields[name]) {
			copied := maps.Clone(fields)
			copied[name] = changed
			all = append(all, copied)
		}
	}
	return all
}
