// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"slices"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Namespaces that must be there before anything is created: those of the
// objects that are live, of others, and of what is declared, unless that
// declares the namespace itself and it was not live.
func (c Case) Namespaces() []string {
	var names []string
	for _, objects := range [][]manifest.Object{c.Live, c.Setup, c.Desired, c.Previous, c.Later} {
		for _, o := range objects {
			if namespace := o.GetNamespace(); namespace != "" && !c.missing(namespace) {
				names = append(names, namespace)
			}
		}
	}
	for _, recorded := range c.Recorded {
		for _, r := range recorded {
			if r.Namespace != "" && !c.missing(r.Namespace) {
				names = append(names, r.Namespace)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// missing: Git declares the namespace and it was not live when the case was
// recorded.
func (c Case) missing(namespace string) bool {
	is := func(o manifest.Object) bool { return o.GetKind() == "Namespace" && o.GetName() == namespace }
	inside := func(o manifest.Object) bool { return o.GetNamespace() == namespace }
	return slices.ContainsFunc(c.Desired, is) && !slices.ContainsFunc(c.Live, is) && !slices.ContainsFunc(c.Live, inside)
}
