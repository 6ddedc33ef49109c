// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strconv"
	"strings"
)

// Change is what a later release of the operator did to a field that the
// generated schemas know otherwise, or not at all.
type Change struct {
	// Kind, and the field's name; Below narrows to fields under that name.
	Kind, Field, Below string
	// Value of an enumeration; empty for the field as a whole.
	Value string
	Since Version
	// Type that the field takes besides the one in the schema.
	Type string
}

// changes since the generated schemas, newest last. Read in the sources of the
// operator's releases; the reference is the changelog of each.
var changes = []Change{
	{Kind: "ExternalSecret", Field: "nullBytePolicy", Since: Version{2, 3}},
	{Kind: "PushSecret", Field: "dataTo", Since: Version{2, 3}},
	{Kind: "ExternalSecret", Field: "syncWindows", Since: Version{2, 7}},
	{Kind: "ExternalSecret", Field: "valuesDecodingStrategy", Since: Version{2, 7}},
	{Kind: "ExternalSecret", Field: "creationPolicy", Value: "CreateOrMerge", Since: Version{2, 8}},
	{Kind: "SecretStore", Field: "refreshInterval", Type: "string", Since: Version{2, 9}},
	{Kind: "ExternalSecret", Field: "kind", Below: "generatorRef", Value: "GitlabDeployToken", Since: Version{2, 4}},
	{Kind: "ExternalSecret", Field: "kind", Below: "generatorRef", Value: "BeyondtrustWorkloadCredentialsDynamicSecret", Since: Version{2, 4}},
	{Kind: "SecretStore", Field: "ovh", Below: "provider", Since: Version{2, 1}},
	{Kind: "SecretStore", Field: "crd", Below: "provider", Since: Version{2, 4}},
	{Kind: "SecretStore", Field: "nebiusmysterybox", Below: "provider", Since: Version{2, 2}},
	{Kind: "SecretStore", Field: "openbao", Below: "provider", Since: Version{2, 5}},
	{Kind: "SecretStore", Field: "beyondtrustworkloadcredentials", Below: "provider", Since: Version{2, 4}},
}

// Version is major and minor of a release.
type Version [2]int

// ParseVersion reads 2.9.0 or v2.9; what it cannot read is the zero Version.
func ParseVersion(text string) Version {
	var out Version
	for i, part := range strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3) {
		number, err := strconv.Atoi(part)
		if err != nil || i > 1 {
			break
		}
		out[i] = number
	}
	return out
}

// Before compares releases.
func (v Version) Before(other Version) bool {
	return v[0] < other[0] || v[0] == other[0] && v[1] < other[1]
}

// String is the version as people write it.
func (v Version) String() string { return strconv.Itoa(v[0]) + "." + strconv.Itoa(v[1]) }

// Explains says in which release a violation of a generated schema ceased to
// be one.
func Explains(kind string, v Violation) (Version, bool) {
	kind = strings.TrimPrefix(kind, "Cluster")
	for _, change := range changes {
		if change.Kind == kind && change.explains(v) {
			return change.Since, true
		}
	}
	return Version{}, false
}

func (c Change) explains(v Violation) bool {
	if v.Field() != c.Field || c.Below != "" && !below(v.Path, c.Below) {
		return false
	}
	switch {
	case c.Value != "":
		return v.Fault == NotListed && v.Word == c.Value
	case c.Type != "":
		return v.Fault == WrongType && strings.HasSuffix(v.Message, " "+c.Type)
	}
	return v.Fault == Unknown
}

func below(path []any, name string) bool {
	for _, token := range path {
		if token == name {
			return true
		}
	}
	return false
}

// IsZero says whether no release is known.
func (v Version) IsZero() bool { return v == Version{} }
