// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// together is how many objects are looked at at once; what reaches the API
// server at once is bounded by package observe.
const together = 16

// judge holds one set against one cluster.
type judge struct {
	scope    mask.Scope
	writers  writers.Catalogue
	ignore   []drift.IgnoreRule
	memory   inventory.Memory
	rendered render.Result
	now      time.Time

	around   observe.Surroundings
	mu       sync.Mutex
	releases map[observe.Release]observe.Earlier
	live     map[manifest.ID]*unstructured.Unstructured
}

// objects judges every declared object, in the order of the set.
func (j *judge) objects(ctx context.Context, c *observe.Cluster, set desired.Set) ([]drift.Object, error) {
	j.around = c.Gather(ctx, manifests(set), j.scope)
	judged := make([]drift.Object, len(set.Objects))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(together)
	for i, o := range set.Objects {
		group.Go(func() error {
			var err error
			judged[i], err = j.object(ctx, c, o)
			return err
		})
	}
	return judged, group.Wait()
}

// object judges one. An API server that does not answer ends the run: a
// preview of half a cluster would be read as a whole one.
func (j *judge) object(ctx context.Context, c *observe.Cluster, o desired.Object) (drift.Object, error) {
	if o.Refusal != "" {
		return drift.Judge(drift.Input{Desired: o.Object, Observation: live.Observation{
			ID: o.ID(), Failure: &live.Failure{Reason: contract.ProjectRefusedReason, Message: o.Refusal},
		}}), nil
	}
	seen := c.Observe(ctx, o.Object, j.around)
	if seen.Failure != nil && seen.Failure.Reason == observe.ReasonUnreachable {
		return drift.Object{}, &cluster.Fault{Kind: cluster.Unreachable,
			What: fmt.Sprintf("the API server stopped answering at %s: %s", o.ID(), seen.Failure.Message),
			Next: "Nothing was changed. Run the same again when it is back."}
	}
	if seen.Live != nil {
		j.mu.Lock()
		j.live[o.ID()] = seen.Live
		j.mu.Unlock()
	}
	in := drift.Input{
		Desired: o.Object, Observation: seen, Writers: j.writers, Ignore: j.ignore, Now: j.now,
		Mask:     mask.Scope{Key: j.scope.Key, Tainted: j.scope.Tainted, Secret: o.GetKind() == "Secret"},
		Baseline: j.memory[o.ID()].Baseline.Unpack(), Known: j.memory.Knows(o.ID()), Unstable: j.rendered.Unstable(o.ID()),
	}
	if seen.Failure == nil && seen.Live != nil {
		types, _, err := c.Types(ctx, o.GroupVersionKind().GroupVersion())
		if err != nil {
			in.Observation.Failure = &live.Failure{Reason: observe.ReasonDiscovery, Message: err.Error()}
		}
		in.Types = types
	}
	judged := drift.Judge(in)
	release, ok := observe.Release{}, false
	if judged.DeployerInQuestion() {
		release, ok = observe.ReleaseOf(seen.Live)
	}
	if !ok {
		return judged, nil
	}
	in.Observation.Evidence.Earlier = j.earlier(ctx, c, release).Of(o.ID())
	return drift.Judge(in), nil
}

// earlier reads each Helm release once. Who may not read it has no proof of
// what Helm deployed, and the class says so: Contested instead of Pending.
func (j *judge) earlier(ctx context.Context, c *observe.Cluster, r observe.Release) observe.Earlier {
	j.mu.Lock()
	defer j.mu.Unlock()
	found, known := j.releases[r]
	if known {
		return found
	}
	found, _ = c.Earlier(ctx, r)
	if j.releases == nil {
		j.releases = map[observe.Release]observe.Earlier{}
	}
	j.releases[r] = found
	return found
}

// removed lists objects that the inventory holds, the source does not declare
// and the cluster still has. An incomplete render proves no absence.
func (j *judge) removed(ctx context.Context, c *observe.Cluster, set desired.Set, rendered render.Result) ([]inventory.Entry, error) {
	if len(set.Incomplete) > 0 || !rendered.Complete() {
		return nil, nil
	}
	var still []inventory.Entry
	for _, e := range j.memory.Removed(set.Declares) {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: e.ID.Group, Version: e.Version, Kind: e.ID.Kind})
		o.SetNamespace(e.ID.Namespace)
		o.SetName(e.ID.Name)
		seen := c.Read(ctx, manifest.Object{Unstructured: o}, observe.Surroundings{})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case seen.Failure != nil && seen.Failure.Reason == observe.ReasonUnknownKind:
		case seen.Failure == nil && (seen.Live == nil || string(seen.Live.GetUID()) != e.UID):
		default:
			still = append(still, e)
		}
	}
	return still, nil
}
