// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/marks"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/sift"
)

// Census is what was found of objects that nobody declares.
type Census struct {
	Strays []live.Stray
	// Unlisted kinds could not be searched, with the reason each.
	Unlisted []string
}

// Census looks through all kinds that can be listed in the namespaces, by
// metadata only, for objects that nobody knows: the function says of an
// identity whether an application declares it or an inventory holds it.
func (c *Cluster) Census(ctx context.Context, namespaces []string, known func(manifest.ID) bool) (Census, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return Census{}, err
	}
	resources := searched(x.Listable())
	unlisted, denied := map[string][]string{}, map[string][]string{}
	var out Census
	for _, namespace := range namespaces {
		s := search{known: known}
		for _, r := range resources {
			err := c.listMetadata(ctx, r, namespace, selecting(r), func(obj *metav1.PartialObjectMetadata) { s.take(r, obj) })
			if ctx.Err() != nil {
				return Census{}, fmt.Errorf("census of namespace %s: %w", namespace, ctx.Err())
			}
			if err == nil {
				continue
			}
			kind, words := unsearched(r, err)
			if words == "" {
				denied[namespace] = append(denied[namespace], kind)
				continue
			}
			reason := kind + ": " + words
			unlisted[reason] = append(unlisted[reason], namespace)
		}
		out.Strays = append(out.Strays, s.strays()...)
	}
	for reason, where := range unlisted {
		out.Unlisted = append(out.Unlisted, reason+" (in "+strings.Join(where, ", ")+")")
	}
	for namespace, kinds := range denied {
		out.Unlisted = append(out.Unlisted, c.mayNotList(namespace, kinds))
	}
	out.Unlisted = append(out.Unlisted, x.Scopes().Incomplete...)
	slices.Sort(out.Unlisted)
	return out, nil
}

// Searched are the kinds that a census goes through, as far as they can be listed.
func (c *Cluster) Searched(ctx context.Context) ([]Resource, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return nil, err
	}
	return searched(x.Listable()), nil
}

func searched(listable []Resource) []Resource {
	return slices.DeleteFunc(listable, func(r Resource) bool { return sift.Kind(r.Kind.GroupKind()) != "" })
}

// search goes through one namespace.
type search struct {
	known func(manifest.ID) bool
	found []live.Stray
	// sets are all StatefulSets there, whoever declares them.
	sets []string
}

func (s *search) take(r Resource, obj *metav1.PartialObjectMetadata) {
	kind := r.Kind.GroupKind()
	if kind.Kind == "StatefulSet" && kind.Group == "apps" {
		s.sets = append(s.sets, obj.Name)
	}
	id := manifest.ID{Group: kind.Group, Kind: kind.Kind, Namespace: obj.Namespace, Name: obj.Name}
	if s.known(id) || sift.Object(kind, obj) != "" {
		return
	}
	s.found = append(s.found, live.Stray{
		ID: id, Version: r.Kind.Version, Creator: sift.Creator(obj), Claim: strings.Join(marks.Tracked(obj), ", "),
	})
}

// strays are those that are left when all StatefulSets are known.
func (s *search) strays() []live.Stray {
	left := slices.DeleteFunc(s.found, func(f live.Stray) bool {
		return f.ID.Kind == "PersistentVolumeClaim" && f.ID.Group == "" && sift.IsClaimOf(f.ID.Name, s.sets)
	})
	slices.SortFunc(left, func(a, b live.Stray) int { return a.ID.Compare(b.ID) })
	return left
}

// unsearched says why a kind could not be listed; no words are a right that lacks.
func unsearched(r Resource, err error) (kind, words string) {
	refused := refusal.Of(err, refusal.Hide{Scope: mask.Scope{Secret: true}})
	if refused.Kind == refusal.Denied {
		return r.Path.GroupResource().String(), ""
	}
	return r.Path.GroupResource().String(), refused.Words
}

// mayNotList names all of them at once: an account that may see what it declares
// and no more is as it should be, and one line says what that leaves out.
func (c *Cluster) mayNotList(namespace string, kinds []string) string {
	slices.Sort(kinds)
	return fmt.Sprintf("strays in %s are not looked for in %d kinds that %s may not list: %s; grant the verb list where you want them",
		namespace, len(kinds), c.account(), strings.Join(kinds, ", "))
}

// selecting leaves out by type the Secrets that metadata cannot tell apart.
func selecting(r Resource) metav1.ListOptions {
	if r.Kind.GroupKind().String() == "Secret" {
		return metav1.ListOptions{FieldSelector: sift.SecretTypes}
	}
	return metav1.ListOptions{}
}
