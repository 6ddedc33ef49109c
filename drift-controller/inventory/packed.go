// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"maps"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
)

// Packed is a baseline as one text: a map of short strings takes ten times its
// content, and there is one for every object that is watched. The zero value
// remembers nothing, which is not the same as remembering no path.
type Packed string

const none Packed = ";"

// Pack packs a baseline; nil is the zero value.
func Pack(b drift.Baseline) Packed {
	if b == nil {
		return ""
	}
	if len(b) == 0 {
		return none
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(b)) {
		text.WriteString(key)
		text.WriteByte('=')
		text.WriteString(b[key])
		text.WriteByte(';')
	}
	return Packed(text.String())
}

// Unpack gives the baseline back.
func (p Packed) Unpack() drift.Baseline {
	if p == "" {
		return nil
	}
	b := drift.Baseline{}
	for entry := range strings.SplitSeq(string(p), ";") {
		if key, digest, ok := strings.Cut(entry, "="); ok {
			b[key] = digest
		}
	}
	return b
}
