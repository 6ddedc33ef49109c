// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
)

// around is what the objects of an application stand in, as gathered last.
type around struct {
	observe.Surroundings
	at time.Time
	// owners are the autoscalers of objects. They come and go without any news
	// of the object itself.
	owners map[manifest.ID]string
	// reused: a verdict was made under it some time after it was gathered, so
	// it has to be looked at once more.
	reused bool
}

const (
	// aroundFor is how long the surroundings are taken for granted while there
	// is news, so that a burst of it gathers them once.
	aroundFor = 10 * time.Second
	// aroundAge is when they are gathered without any news.
	aroundAge = 10 * time.Minute
)

// surroundings gives those of the last run, and has them looked at again later.
func (m *Memo) surroundings() observe.Surroundings {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.around.reused = true
	return m.around.Surroundings
}

// agedAround says whether the surroundings have to be gathered though no object
// asks for it.
func (m *Memo) agedAround(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	age := now.Sub(m.around.at)
	return !m.around.at.IsZero() && (age > aroundAge || m.around.reused && age > aroundFor)
}

// lookAround takes the surroundings for this run, and gives those objects that
// are owned by another autoscaler than before, beside the pending ones.
func (r *run) lookAround(ctx context.Context, pending []desired.Object) []desired.Object {
	m := r.memo
	m.mu.Lock()
	defer m.mu.Unlock()
	if age := r.Now.Sub(m.around.at); !m.around.at.IsZero() && age <= aroundFor {
		m.around.reused = m.around.reused || age > 0
		r.around = m.around.Surroundings
		return nil
	}
	before := m.around.owners
	r.around = r.Cluster.Gather(ctx, r.gathering(), mask.Scope{Key: r.Policy.Key, Tainted: r.Policy.Tainted})
	m.around = around{Surroundings: r.around, at: r.Now, owners: r.around.Owners()}
	var moved []desired.Object
	for _, o := range r.Objects {
		if m.judged[o.ID()] == nil || o.Refusal != "" || before[o.ID()] == m.around.owners[o.ID()] {
			continue
		}
		if !slices.ContainsFunc(pending, func(p desired.Object) bool { return p.ID() == o.ID() }) {
			moved = append(moved, o)
		}
	}
	return moved
}

// gathering leaves out the kinds that no surroundings matter to.
func (r *run) gathering() []manifest.Object {
	objects := make([]manifest.Object, 0, len(r.Objects))
	for _, o := range r.Objects {
		if full, err := o.Full(); err == nil && !withoutStatus[o.ID().GroupKind().String()] {
			objects = append(objects, full)
		}
	}
	return objects
}

// earlierRenders reads each Helm release at most once a run.
type earlierRenders struct {
	mu   sync.Mutex
	seen map[observe.Release]observe.Earlier
}

func (e *earlierRenders) of(ctx context.Context, c *observe.Cluster, r observe.Release, id manifest.ID) []*unstructured.Unstructured {
	e.mu.Lock()
	defer e.mu.Unlock()
	found, ok := e.seen[r]
	if !ok {
		// Without the right to read releases there is no proof, and the class
		// says so: Contested instead of Pending.
		found, _ = c.Earlier(ctx, r)
		if e.seen == nil {
			e.seen = map[observe.Release]observe.Earlier{}
		}
		e.seen[r] = found
	}
	return found.Of(id)
}
