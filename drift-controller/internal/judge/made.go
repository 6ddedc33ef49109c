// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

// told says whether the watch alone tells that an object is not there, and its
// creation is to tell the rest.
func (r *run) told(ctx context.Context, o manifest.Object) (live.Observation, bool) {
	sight := r.Stamp(o.GroupVersionKind(), o.ID())
	if sight.Known || !sight.InStep || !r.Creates(o.ID()) {
		return live.Observation{}, false
	}
	return r.Cluster.Absent(ctx, o, r.around)
}

// Made judges an object that was created just now, by the server's answer: no
// request is needed to know what it has become.
func (m *Memo) Made(ctx context.Context, req Request, o desired.Object, answer *unstructured.Unstructured) error {
	full, err := o.Full()
	if err != nil {
		return err
	}
	r := &run{Request: req, memo: m, around: m.surroundings()}
	if err := r.identify(ctx, []desired.Object{o}); err != nil {
		return err
	}
	seen := r.Cluster.Made(full, r.around, answer)
	next := judged{
		key: r.key(o), content: r.content(seen), stamp: watch.StampOf(answer),
		looked: r.Now, until: r.Now.Add(spread(r.Policy.MaxAge, o.ID())),
	}
	next.object = r.verdict(ctx, full, seen)
	next.object.Seen = r.Clock()
	if end := next.object.Own.Ends; !end.IsZero() && end.Before(next.until) {
		next.until = end
	}
	m.put(o.ID(), next)
	return nil
}
