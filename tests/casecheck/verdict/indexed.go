// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Indexed writes a pointer with list items by position: that of the live list,
// or of the desired list if live has no such item.
func Indexed(pointer string, live, desired any) string {
	var b strings.Builder
	for _, token := range keyedpath.Tokens(pointer) {
		b.WriteByte('/')
		if !strings.HasPrefix(token, "[") {
			b.WriteString(escape.Replace(token))
			live, desired = member(live, token), member(desired, token)
			continue
		}
		inLive, inDesired := position(live, token), position(desired, token)
		index := inLive
		if index < 0 {
			index = inDesired
		}
		b.WriteString(strconv.Itoa(index))
		live, desired = item(live, inLive), item(desired, inDesired)
	}
	return b.String()
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func member(at any, name string) any {
	if fields, ok := at.(map[string]any); ok {
		return fields[name]
	}
	if i, err := strconv.Atoi(name); err == nil {
		return item(at, i)
	}
	return nil
}

func item(at any, index int) any {
	items, ok := at.([]any)
	if !ok || index < 0 || index >= len(items) {
		return nil
	}
	return items[index]
}

// position gives the position of the item that a token such as [name=web] or
// [=value] names, or -1.
func position(at any, token string) int {
	items, _ := at.([]any)
	inner := strings.TrimSuffix(strings.TrimPrefix(token, "["), "]")
	if text, isScalar := strings.CutPrefix(inner, "="); isScalar {
		return slices.IndexFunc(items, func(v any) bool { return fmt.Sprint(v) == text })
	}
	best := -1
	for i, v := range items {
		fields, ok := v.(map[string]any)
		if !ok || !hasKeys(fields, inner) {
			continue
		}
		if hasAllKeys(fields, inner) {
			return i
		}
		if best < 0 {
			best = i
		}
	}
	return best
}

// hasAllKeys: nothing is left to a default.
func hasAllKeys(fields map[string]any, keys string) bool {
	for _, key := range strings.Split(keys, ",") {
		name, _, _ := strings.Cut(key, "=")
		if _, present := fields[name]; !present {
			return false
		}
	}
	return true
}

// hasKeys: a key field that the item leaves out has its default in the token,
// which only the schema knows; it matches, as long as another one is there.
func hasKeys(fields map[string]any, keys string) bool {
	known := false
	for _, key := range strings.Split(keys, ",") {
		name, text, _ := strings.Cut(key, "=")
		v, present := fields[name]
		if present && fmt.Sprint(v) != text {
			return false
		}
		known = known || present
	}
	return known
}
