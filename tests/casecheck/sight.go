// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"slices"

	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// sight is all that was seen for a case.
type sight struct {
	applications []application
	objects      []seenObject
	memory       inventory.Memory
	removed      []inventory.Entry
	strays       []live.Stray
	around       observe.Surroundings
}

// seenObject is one declared object with what was seen of it.
type seenObject struct {
	application application
	desired     desired.Object
	observation live.Observation
	types       compare.Types
}

// observe sees the state that the cluster is in.
func (r *Runner) observe(ctx context.Context, c casefile.Case) (sight, error) {
	applications, err := r.applications(ctx, c)
	if err != nil {
		return sight{}, err
	}
	s := sight{applications: applications}
	s.around = r.cluster.Gather(ctx, s.declared(), mask.Scope{Key: r.key})
	for _, a := range applications {
		for _, object := range a.set.Objects {
			seen, err := r.see(ctx, a, object, s.around)
			if err != nil {
				return sight{}, err
			}
			s.objects = append(s.objects, seen)
		}
	}
	if s.memory, err = r.remember(ctx, c, s); err != nil {
		return sight{}, err
	}
	if s.removed, err = r.removed(ctx, s); err != nil {
		return sight{}, err
	}
	census, err := r.cluster.Census(ctx, s.namespaces(), s.knows(c))
	s.strays = census.Strays
	return s, err
}

func (r *Runner) see(ctx context.Context, a application, object desired.Object, around observe.Surroundings) (seenObject, error) {
	seen := seenObject{application: a, desired: object}
	seen.observation = r.cluster.Read(ctx, object.Object, around)
	if err := r.withEarlier(ctx, &seen.observation); err != nil {
		return seen, err
	}
	seen.observation = r.cluster.Restore(ctx, object.Object, around, seen.observation)
	if seen.observation.Failure != nil || seen.observation.Live == nil {
		return seen, nil
	}
	var err error
	seen.types, _, err = r.cluster.Types(ctx, object.GroupVersionKind().GroupVersion())
	return seen, err
}

// withEarlier adds what a Helm release had deployed before.
func (r *Runner) withEarlier(ctx context.Context, o *live.Observation) error {
	if o.Live == nil {
		return nil
	}
	release, ok := observe.ReleaseOf(o.Live)
	if !ok {
		return nil
	}
	earlier, err := r.cluster.Earlier(ctx, release)
	o.Evidence.Earlier = earlier.Of(o.ID)
	return err
}

// declared lists all objects that Git declares.
func (s sight) declared() []manifest.Object {
	var all []manifest.Object
	for _, a := range s.applications {
		for _, o := range a.set.Objects {
			all = append(all, o.Object)
		}
	}
	return all
}

// namespaces that are searched for strays: those the applications declare
// objects in, and those they declare.
func (s sight) namespaces() []string {
	var all []string
	for _, a := range s.applications {
		all = append(all, a.set.Namespaces...)
		for _, o := range a.set.Objects {
			if o.GetKind() == "Namespace" {
				all = append(all, o.GetName())
			}
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return name == fallbackNamespace })
}

// knows says of an object whether an application declares it, runs it as a
// hook or recorded it; objects of setup.yaml and later.yaml belong to others who know them.
func (s sight) knows(c casefile.Case) func(manifest.ID) bool {
	known := map[manifest.ID]bool{}
	for _, a := range s.applications {
		for _, o := range a.set.Objects {
			known[o.ID()] = true
		}
		for _, hook := range a.result.Hooks {
			known[hook.ID] = true
		}
	}
	for id := range s.memory {
		known[id] = true
	}
	for _, o := range slices.Concat(c.Setup, c.Later) {
		known[o.ID()] = true
	}
	return func(id manifest.ID) bool { return known[id] }
}
