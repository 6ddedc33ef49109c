// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ID is the identity of an object in a cluster. The version is left out on
// purpose: one object is served under several versions.
type ID struct {
	Group     string
	Kind      string
	Namespace string
	Name      string
}

// GroupKind is the kind with its group.
func (i ID) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: i.Group, Kind: i.Kind}
}

// String is Kind.group namespace/name; core kinds have no group, and
// cluster-scoped objects no namespace.
func (i ID) String() string {
	s := i.GroupKind().String() + " "
	if i.Namespace != "" {
		s += i.Namespace + "/"
	}
	return s + i.Name
}

// Compare orders identities by namespace, group, kind and name, so that what
// belongs together is listed together.
func (i ID) Compare(o ID) int {
	return cmp.Or(
		cmp.Compare(i.Namespace, o.Namespace),
		cmp.Compare(i.Group, o.Group),
		cmp.Compare(i.Kind, o.Kind),
		cmp.Compare(i.Name, o.Name),
	)
}
