// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// longestPatch is how long a patch may be that a person is to paste.
const longestPatch = 600

// mergeable groups have kinds whose lists kubectl can merge by key.
var mergeable = []string{
	"", "apps", "batch", "autoscaling", "policy", "networking.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io",
	"admissionregistration.k8s.io", "scheduling.k8s.io",
}

// Revert is a kubectl command that sets a difference back to what Git says. It
// is false where there is no such command: the value is masked, cut or long,
// the whole object is missing, or a list has no one key to merge by.
func Revert(e api.DriftEntry) (string, bool) {
	tokens := keyedpath.Tokens(e.Path)
	if len(tokens) == 0 || masked(e) {
		return "", false
	}
	value := any(nil)
	if e.Wanted != nil {
		if e.Wanted.Digest != "" {
			return "", false // cut
		}
		value = json.RawMessage(e.Wanted.JSON)
	}
	kind := "merge"
	if slices.ContainsFunc(tokens, func(t string) bool { return strings.HasPrefix(t, "[") }) {
		if !slices.Contains(mergeable, e.Object.Group) {
			return "", false
		}
		kind = "strategic"
	}
	patch, ok := patchOf(tokens, value, e.Wanted == nil)
	if !ok {
		return "", false
	}
	text, err := encoded(patch)
	if err != nil || len(text) > longestPatch {
		return "", false
	}
	return "kubectl patch " + resource(e.Object) + " " + e.Object.Name + namespaceFlag(e.Object) +
		" --type " + kind + " -p '" + strings.ReplaceAll(text, "'", `'\''`) + "'", true
}

// encoded is JSON without the escapes that are meant for HTML.
func encoded(v any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return strings.TrimSpace(b.String()), err
}

// patchOf nests a value below its path; removing takes away what stands there.
func patchOf(tokens []string, value any, removing bool) (any, bool) {
	if len(tokens) == 0 {
		return value, true
	}
	key, isItem := strings.CutPrefix(tokens[0], "[")
	if !isItem {
		if _, err := strconv.Atoi(tokens[0]); err == nil {
			return nil, false // a place in a list, or a key that looks like one
		}
		below, ok := patchOf(tokens[1:], value, removing)
		return map[string]any{tokens[0]: below}, ok
	}
	item, ok := itemOf(strings.TrimSuffix(key, "]"))
	if !ok {
		return nil, false
	}
	if len(tokens) == 1 {
		return lastItem(item, value, removing)
	}
	below, ok := patchOf(tokens[1:], value, removing)
	fields, isMap := below.(map[string]any)
	if !ok || !isMap {
		return nil, false
	}
	for name, field := range fields {
		item[name] = field
	}
	return []any{item}, true
}

func lastItem(item map[string]any, value any, removing bool) (any, bool) {
	if removing {
		item["$patch"] = "delete"
		return []any{item}, true
	}
	return []any{value}, true
}

// itemOf reads the key of a list item: name=api. Where the schema has several
// keys, such as port and protocol, kubectl merges by the first of them alone,
// and would change or remove a port of the other protocol as well.
func itemOf(key string) (map[string]any, bool) {
	name, value, ok := strings.Cut(key, "=")
	if !ok || name == "" || strings.ContainsAny(value, "=,") {
		return nil, false // an item of a set is its own key
	}
	return map[string]any{name: value}, true
}
