// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/health"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// readers bounds the objects of one application that are looked at together.
const readers = 16

// Request is one run over one application.
type Request struct {
	Cluster *observe.Cluster // as the observer
	// Denied: why the observer cannot look at all; empty if it can. Every
	// object is then Unknown.
	Denied  string
	Objects []desired.Object
	// Same says that the objects are those of the last run.
	Same   bool
	Policy Policy
	Memory inventory.Memory
	// Stamp is what the watches know of an object.
	Stamp func(schema.GroupVersionKind, manifest.ID) Sight
	Now   time.Time
	// Creates says whether an object that is not there would be created now:
	// that answers what a dry run would.
	Creates func(manifest.ID) bool
	// Clock tells when an object was read; Now is when the run began.
	Clock func() time.Time
}

// Sight is what the watches know of an object. Where a watch is in step, an
// object that it does not know is not there.
type Sight struct {
	watch.Stamp
	Known  bool
	InStep bool
}

// Policy is what the Application and its Project say about judging.
type Policy struct {
	Ignore   []drift.IgnoreRule
	OwnRules bool // objects may carry rules of their own
	Writers  writers.Catalogue
	Health   health.Checks
	Key      mask.Key
	// Tainted values came from Secrets into the render.
	Tainted []string
	// Unstable gives the paths of an object that differ between two renders.
	Unstable func(manifest.ID) []string
	// Digest changes when any of the above does.
	Digest string
	// MaxAge bounds how old a judgement may be.
	MaxAge time.Duration
}

// run is one run with what it shares between objects.
type run struct {
	Request
	memo      *Memo
	admission string
	schemas   map[schema.GroupVersion]string
	around    observe.Surroundings
	earlier   earlierRenders
}

// Objects judges every declared object, in the set's order.
func (m *Memo) Objects(ctx context.Context, req Request) ([]drift.Object, error) {
	r := &run{Request: req, memo: m}
	pending, err := r.pending(ctx)
	if err != nil {
		return nil, err
	}
	if req.Denied == "" && (len(pending) > 0 || !req.Same || m.agedAround(req.Now)) {
		pending = append(pending, r.lookAround(ctx, pending)...)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for _, o := range pending {
		group.Go(func() error { return r.judge(ctx, o) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return m.collect(req.Objects), nil
}

// pending lists the objects that have to be looked at, and answers at once for
// those that may not be.
func (r *run) pending(ctx context.Context) ([]desired.Object, error) {
	if r.Denied == "" {
		if err := r.identify(ctx, r.Objects); err != nil {
			return nil, err
		}
		why, err := r.Cluster.NoDryRuns(ctx)
		if err != nil {
			return nil, halt.Retryf(contract.APIUnavailableReason, "%w", err)
		}
		r.memo.withoutDryRuns(why)
	}
	if !r.Same {
		r.memo.keep(r.Objects)
	}
	var pending []desired.Object
	for _, o := range r.Objects {
		switch {
		case r.Denied != "":
			r.memo.put(o.ID(), judged{object: refused(o, contract.IdentityMissingReason, r.Denied)})
		case o.Refusal != "":
			r.memo.put(o.ID(), judged{object: refused(o, contract.ProjectRefusedReason, o.Refusal)})
		case r.stale(o):
			pending = append(pending, o)
		}
	}
	return pending, nil
}

// refused is the judgement of an object that may not be looked at.
func refused(o desired.Object, reason, message string) drift.Object {
	return drift.Object{
		ID: o.ID(), Version: o.GroupVersionKind().Version, Source: o.Source,
		Verdict: api.VerdictUnknown, Reason: reason, Message: message,
		Health: drift.Health{Status: "Unknown", Message: message},
	}
}

// stale says whether an object has to be looked at again.
func (r *run) stale(o desired.Object) bool {
	before, ok := r.memo.get(o.ID())
	if !ok || before.key != r.key(o) || r.Now.After(before.until) || waits(before.object) {
		return true
	}
	if leans(before.object) && r.Now.After(before.looked.Add(evidenceFor)) {
		return true
	}
	sight := r.Stamp(o.GroupVersionKind(), o.ID())
	switch {
	case !sight.Known && sight.InStep:
		return before.stamp.UID != "" || r.Now.After(before.looked.Add(unwatched))
	case !sight.Known:
		return r.Now.After(before.looked.Add(unwatched))
	case same(before.stamp, sight.Stamp):
		// Only status moved on: health may wait a little, the verdict stands.
		return sight.ResourceVersion != before.stamp.ResourceVersion && r.Now.After(before.looked.Add(healthEvery))
	}
	return true
}

// heartbeat is how soon what no watch tells of is looked at again: what stood in
// the way of a verdict, or went from around it, shows within two of them.
const heartbeat = 30 * time.Second

// unwatched objects are read again after this long; healthEvery is how often
// the health of an object whose status keeps changing is read.
const (
	unwatched   = heartbeat / 2
	healthEvery = 20 * time.Second
)

// same says whether two stamps stand for the same content. Where a kind has a
// generation, a status write moves the resourceVersion alone.
func same(a, b watch.Stamp) bool {
	if a.UID != b.UID || a.Deleting != b.Deleting {
		return false
	}
	if b.Generation > 0 {
		return a.Generation == b.Generation && a.Meta == b.Meta
	}
	return a.ResourceVersion == b.ResourceVersion
}

// identify asks what judgements of the objects are made under.
func (r *run) identify(ctx context.Context, objects []desired.Object) error {
	admission, err := r.Cluster.AdmissionKey(ctx)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "reading admission configurations: %w", err)
	}
	versions := map[schema.GroupVersion]bool{}
	for _, o := range objects {
		versions[o.GroupVersionKind().GroupVersion()] = true
	}
	r.admission, r.schemas = admission, r.Cluster.SchemaKeys(slices.Collect(maps.Keys(versions)))
	return nil
}

// key is what a judgement was made under, besides the live object. A schema or
// a definition that changed can change what the server makes of an object, or
// keep it from reading it at all, without any news of the object. The schema
// tells what the definition cannot: when the server goes by it, and that the
// server itself was upgraded; the definition tells of conversion.
func (r *run) key(o desired.Object) string {
	key := o.Digest + "/" + r.Policy.Digest + "/" + r.admission + "/" + r.schemas[o.GroupVersionKind().GroupVersion()]
	if r.Denied != "" {
		return key
	}
	if defined, _ := r.Cluster.Definition(o.GroupVersionKind().Group); defined != "" {
		key += "/" + defined
	}
	return key
}

func (r *run) judge(ctx context.Context, o desired.Object) error {
	full, err := o.Full()
	if err != nil {
		return halt.Retryf(contract.ObservationReason, "%w", err)
	}
	seen, told := r.told(ctx, full)
	if !told {
		seen = r.Cluster.Read(ctx, full, r.around)
	}
	if gone := unreachable(seen); gone != nil {
		return gone
	}
	read := r.Clock() // whoever writes on this needs a source that was asked later
	next := judged{key: r.key(o), looked: r.Now, until: r.Now.Add(spread(r.Policy.MaxAge, o.ID()))}
	next.content = r.content(seen)
	if seen.Live != nil {
		next.stamp = watch.StampOf(seen.Live)
	}
	before, ok := r.memo.get(o.ID())
	if ok && before.key == next.key && before.content == next.content && r.Now.Before(before.until) && seen.Failure == nil && !waits(before.object) {
		before.stamp, before.looked = next.stamp, r.Now
		before.object = drift.WithHealth(before.object, r.Policy.Health, seen.Live)
		r.memo.touch(o.ID(), before)
		return nil
	}
	if !told {
		seen = r.Cluster.Restore(ctx, full, r.around, seen)
	}
	if gone := unreachable(seen); gone != nil {
		return gone
	}
	next.object = r.verdict(ctx, full, seen)
	next.object.Seen = read
	if _, unrestful := r.Cluster.Definition(o.GroupVersionKind().Group); unrestful || unsettled(next.object) {
		next.until = r.Now.Add(retryUnknown)
	}
	if end := next.object.Own.Ends; !end.IsZero() && end.Before(next.until) {
		next.until = end // its own rule ends without any news of the object
	}
	r.memo.put(o.ID(), next)
	return nil
}

// evidenceFor is how long the autoscalers and webhooks that explain a difference,
// or would, are taken to be as they were: they go without any news of the
// object itself.
const evidenceFor = heartbeat

// leans says whether a judgement hangs on what stands around the object.
func leans(o drift.Object) bool {
	return slices.ContainsFunc(o.Judgements, func(j drift.Judgement) bool {
		return j.Pointer == "/spec/replicas" || strings.Contains(j.Pointer, "/resources") ||
			j.Class == api.ClassWebhook || j.Class == api.ClassUnowned
	})
}

// waits says whether an object waits for something of its own set: what it waits
// for comes without any news of the object itself.
func waits(o drift.Object) bool {
	return o.Verdict == api.VerdictMissing && o.Reason == "Waiting"
}

// unsettled objects could not be judged, or are not there and would be refused:
// what stands in their way is nothing that is watched.
func unsettled(o drift.Object) bool {
	return o.Verdict == api.VerdictUnknown || o.Verdict == api.VerdictMissing && len(o.Findings) > 0
}

// retryUnknown is how soon an object is tried again that is unsettled.
const retryUnknown = heartbeat

func unreachable(seen live.Observation) error {
	if seen.Failure != nil && seen.Failure.Reason == observe.ReasonUnreachable {
		return halt.Retryf(contract.APIUnavailableReason, "%s", seen.Failure.Message)
	}
	return nil
}

// verdict judges, and where a deployer's value is in question asks what that
// deployer is proven to have applied.
func (r *run) verdict(ctx context.Context, o manifest.Object, seen live.Observation) drift.Object {
	in := drift.Input{
		Desired: o, Observation: seen, Writers: r.Policy.Writers, Health: r.Policy.Health, Ignore: r.Policy.Ignore, OwnRules: r.Policy.OwnRules, Now: r.Now,
		Mask:     mask.Scope{Key: r.Policy.Key, Secret: o.GetKind() == "Secret", Tainted: r.Policy.Tainted},
		Baseline: r.Memory[o.ID()].Baseline.Unpack(), Known: r.Memory.Knows(o.ID()), Unstable: r.Policy.Unstable(o.ID()),
	}
	if seen.Failure == nil && seen.Live != nil {
		types, _, err := r.Cluster.Types(ctx, o.GroupVersionKind().GroupVersion())
		if err != nil {
			in.Observation.Failure = &live.Failure{Reason: observe.ReasonDiscovery, Message: err.Error()}
		}
		in.Types = types
	}
	object := drift.Judge(in)
	if !object.DeployerInQuestion() {
		return object
	}
	release, ok := observe.ReleaseOf(seen.Live)
	if !ok {
		return object
	}
	in.Observation.Evidence.Earlier = r.earlier.of(ctx, r.Cluster, release, o.ID())
	return drift.Judge(in)
}

// content is a digest of what a comparison looks at: not the status, not the
// versions, and of managedFields who owns what but not when.
func (r *run) content(seen live.Observation) string {
	if seen.Live == nil {
		return ""
	}
	o := seen.Live.DeepCopy()
	var owners []any
	for _, m := range o.GetManagedFields() {
		if m.Subresource != "status" && m.FieldsV1 != nil {
			owners = append(owners, m.Manager, string(m.Operation), m.Subresource, m.FieldsV1.GetRawString())
		}
	}
	delete(o.Object, "status")
	for _, f := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(o.Object, "metadata", f)
	}
	e := seen.Evidence
	return r.Policy.Key.Digest([]any{o.Object, owners, e.Scalers, e.Sizers, e.Routers, e.Mutators})
}

// Unread lists the kinds of evidence that could not be read.
func (m *Memo) Unread() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.around.Unread)
}

// NoDryRuns says why the server was not asked for restored forms, if it was not.
func (m *Memo) NoDryRuns() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.noDryRuns == "" {
		return nil
	}
	return []string{"no dry runs, so only declared fields and those of people are compared: " + m.noDryRuns}
}

// spread keeps the refreshes of many objects apart: up to a quarter later.
func spread(age time.Duration, id manifest.ID) time.Duration {
	h := uint32(2166136261)
	for _, b := range []byte(id.String()) {
		h = (h ^ uint32(b)) * 16777619
	}
	return age + time.Duration(h%1000)*age/4000
}
