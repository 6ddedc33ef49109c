// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitobject

import (
	"bytes"
	"strings"
)

// Tag is an annotated tag.
type Tag struct {
	Signed
	Hash string
	Name string // as the object has it, which need not be the reference's
	// Target is the object that it names.
	Target string
}

// armors begin the signature that Git appends to a tag.
var armors = [][]byte{
	[]byte("-----BEGIN PGP SIGNATURE-----"),
	[]byte("-----BEGIN PGP MESSAGE-----"),
	[]byte("-----BEGIN SIGNED MESSAGE-----"),
	[]byte("-----BEGIN SSH SIGNATURE-----"),
}

// ParseTag reads a tag object.
func ParseTag(hash string, raw []byte) Tag {
	tag := Tag{Hash: hash}
	headers, _, _ := strings.Cut(string(raw), "\n\n")
	for _, line := range strings.Split(headers, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch {
		case key == "tag" && tag.Name == "":
			tag.Name = value
		case key == "object" && tag.Target == "":
			tag.Target = value
		}
	}
	// The last line that begins an armor begins the signature: one that stands
	// earlier is text that was signed.
	start := len(raw)
	for at := 0; at < len(raw); {
		if beginsArmor(raw[at:]) {
			start = at
		}
		end := bytes.IndexByte(raw[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	// A signature for the other kind of repository stands in a header.
	tag.Payload = splitHeaders(raw[:start], "").Payload
	tag.Signature = string(raw[start:])
	return tag
}

func beginsArmor(line []byte) bool {
	for _, armor := range armors {
		if bytes.HasPrefix(line, armor) {
			return true
		}
	}
	return false
}
