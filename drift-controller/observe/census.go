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
	resources := slices.DeleteFunc(x.Listable(), func(r Resource) bool { return sift.Kind(r.Kind.GroupKind()) != "" })
	unlisted := map[string][]string{}
	var out Census
	for _, namespace := range namespaces {
		s := search{known: known}
		for _, r := range resources {
			err := c.listMetadata(ctx, r, namespace, selecting(r), func(obj *metav1.PartialObjectMetadata) { s.take(r, obj) })
			if ctx.Err() != nil {
				return Census{}, fmt.Errorf("census of namespace %s: %w", namespace, ctx.Err())
			}
			if err != nil {
				reason := c.notListed(r, err)
				unlisted[reason] = append(unlisted[reason], namespace)
			}
		}
		out.Strays = append(out.Strays, s.strays()...)
	}
	for reason, where := range unlisted {
		out.Unlisted = append(out.Unlisted, reason+" (in "+strings.Join(where, ", ")+")")
	}
	out.Unlisted = append(out.Unlisted, x.Scopes().Incomplete...)
	slices.Sort(out.Unlisted)
	return out, nil
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

func (c *Cluster) notListed(r Resource, err error) string {
	refused := refusal.Of(err, refusal.Hide{Scope: mask.Scope{Secret: true}})
	if refused.Kind == refusal.Denied {
		return fmt.Sprintf("%s: %s may not list them; grant the verb list", r.Path.GroupResource(), c.account())
	}
	return fmt.Sprintf("%s: %s", r.Path.GroupResource(), refused.Words)
}

// selecting leaves out by type the Secrets that metadata cannot tell apart.
func selecting(r Resource) metav1.ListOptions {
	if r.Kind.GroupKind().String() == "Secret" {
		return metav1.ListOptions{FieldSelector: sift.SecretTypes}
	}
	return metav1.ListOptions{}
}
