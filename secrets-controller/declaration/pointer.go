// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"fmt"
	"strconv"
	"strings"
)

// Pointer is a JSON pointer (RFC 6901) into an object.
type Pointer string

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Child extends the pointer by field names (string) and list indices (int).
func (p Pointer) Child(parts ...any) Pointer {
	var b strings.Builder
	b.WriteString(string(p))
	for _, part := range parts {
		b.WriteByte('/')
		switch part := part.(type) {
		case int:
			b.WriteString(strconv.Itoa(part))
		case string:
			b.WriteString(pointerEscapes.Replace(part))
		default:
			b.WriteString(pointerEscapes.Replace(fmt.Sprint(part)))
		}
	}
	return Pointer(b.String())
}
