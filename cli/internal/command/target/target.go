// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package target is the argument that names one of the objects that verbs act
// on: NAME of an Application, or KIND/NAME.
//
// In: the argument. Out: an empty object of that kind, with its name. It reads
// nothing.
package target

import (
	"fmt"
	"slices"
	"strings"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Target is what was named.
type Target struct {
	Kind string
	Name string
	// Cluster says that the kind has no namespace.
	Cluster bool
	make    func() client.Object
}

// kinds, with the words that people use for them.
var kinds = []struct {
	words   []string
	kind    string
	cluster bool
	make    func() client.Object
}{
	{[]string{"application", "applications", "app", "happ"}, "Application", false, func() client.Object { return &v1alpha1.Application{} }},
	{[]string{"gitrepository", "gitrepositories", "gitrepo", "git"}, "GitRepository", false, func() client.Object { return &sourcev1.GitRepository{} }},
	{[]string{"ocirepository", "ocirepositories", "ocirepo", "oci"}, "OCIRepository", false, func() client.Object { return &sourcev1.OCIRepository{} }},
	{[]string{"stagerollout", "stagerollouts", "hroll"}, "StageRollout", true, func() client.Object { return &v1alpha1.StageRollout{} }},
}

// Parse reads NAME or KIND/NAME; only some kinds may be offered.
func Parse(argument string, offered ...string) (Target, error) {
	word, name, found := strings.Cut(argument, "/")
	if !found {
		word, name = "application", argument
	}
	for _, k := range kinds {
		if !slices.Contains(k.words, strings.ToLower(word)) || !slices.Contains(offered, k.kind) {
			continue
		}
		if name == "" {
			return Target{}, fmt.Errorf("%q has no name: write %s/NAME", argument, k.kind)
		}
		return Target{Kind: k.kind, Name: name, Cluster: k.cluster, make: k.make}, nil
	}
	return Target{}, fmt.Errorf("%q: kind %q is not one of %s; a NAME alone is an Application", argument, word, strings.Join(offered, ", "))
}

// Object is an empty object with the name.
func (t Target) Object(namespace string) client.Object {
	o := t.make()
	o.SetName(t.Name)
	if !t.Cluster {
		o.SetNamespace(namespace)
	}
	return o
}

// String is KIND NAME, as messages say it.
func (t Target) String() string { return t.Kind + " " + t.Name }
