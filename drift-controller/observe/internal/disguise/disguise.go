// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package disguise

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Prefix marks throw-away names, so that whoever meets one in the log of a
// webhook knows what it is.
const Prefix = "hfdry-"

// Name is the throw-away name of an object: always the same, so that webhooks
// that cache by name see few, and short enough for every kind (a CronJob's
// limit is 52).
func Name(id manifest.ID) string {
	sum := sha256.Sum256([]byte(id.String()))
	return Prefix + hex.EncodeToString(sum[:8])
}

// Plain is a copy without what identifies a stored object: sent along, it
// would make the server compare it with the object of that name.
func Plain(obj *unstructured.Unstructured) *unstructured.Unstructured {
	out := obj.DeepCopy()
	for _, field := range []string{
		"uid", "resourceVersion", "generation", "creationTimestamp", "selfLink",
		"managedFields", "deletionTimestamp", "deletionGracePeriodSeconds", "generateName",
	} {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	return out
}

// As is the plain copy under another name.
func As(obj *unstructured.Unstructured, name string) *unstructured.Unstructured {
	out := Plain(obj)
	out.SetName(name)
	return out
}

// Undo puts the real name wherever the throw-away one stands: in names, in
// labels that the server derives, in what a webhook made of it.
func Undo(obj *unstructured.Unstructured, throwaway, name string) {
	if throwaway == name {
		return
	}
	obj.Object = rename(obj.Object, throwaway, name).(map[string]any)
}

// Text does the same for words, such as those of a refusal.
func Text(words, throwaway, name string) string {
	return strings.ReplaceAll(words, throwaway, name)
}

func rename(v any, from, to string) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for key, item := range t {
			out[strings.ReplaceAll(key, from, to)] = rename(item, from, to)
		}
		return out
	case []any:
		for i, item := range t {
			t[i] = rename(item, from, to)
		}
		return t
	case string:
		return strings.ReplaceAll(t, from, to)
	default:
		return v
	}
}
