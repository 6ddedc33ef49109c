// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

// judged is the last judgement of one object. It keeps no live object.
type judged struct {
	object  drift.Object
	key     string // declaration, policy, admission and schema that it was made under
	content string // digest of the live content that it was made of
	stamp   watch.Stamp
	looked  time.Time
	until   time.Time
}

// Memo is what is remembered of one application between runs. The zero value
// is not usable; see NewMemo.
type Memo struct {
	mu      sync.Mutex
	judged  map[manifest.ID]*judged
	changed map[manifest.ID]bool // judged anew since Changed was asked
	around  around
	further map[manifest.ID]checked // objects that count for health alone
	// noDryRuns: why the account is asked for no dry run; empty if it is.
	noDryRuns string
}

// NewMemo gives an empty memo.
func NewMemo() *Memo {
	return &Memo{judged: map[manifest.ID]*judged{}, changed: map[manifest.ID]bool{}}
}

func (m *Memo) get(id manifest.ID) (judged, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.judged[id]
	if !ok {
		return judged{}, false
	}
	return *j, true
}

// put keeps a judgement that was just made.
func (m *Memo) put(id manifest.ID, j judged) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged[id] = &j
	m.changed[id] = true
}

// touch keeps a judgement that still stands, with a newer look at its object.
func (m *Memo) touch(id manifest.ID, j judged) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged[id] = &j
}

// Drop makes the next run look at objects again, whatever their stamps say:
// they were written, or are not what they were judged as.
func (m *Memo) Drop(ids ...manifest.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if j, ok := m.judged[id]; ok {
			j.until = time.Time{}
		}
	}
}

// Changed gives the objects that were judged anew since it was last asked.
func (m *Memo) Changed() map[manifest.ID]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := m.changed
	m.changed = map[manifest.ID]bool{}
	return changed
}

func (m *Memo) withoutDryRuns(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noDryRuns = why
}

// keep drops what is not declared any more.
func (m *Memo) keep(objects []desired.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.judged) == 0 {
		return
	}
	declared := make(map[manifest.ID]bool, len(objects))
	for _, o := range objects {
		declared[o.ID()] = true
	}
	for id := range m.judged {
		if !declared[id] {
			delete(m.judged, id)
		}
	}
}

func (m *Memo) collect(objects []desired.Object) []drift.Object {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]drift.Object, 0, len(objects))
	for _, o := range objects {
		if j, ok := m.judged[o.ID()]; ok {
			out = append(out, j.object)
		}
	}
	return out
}

// Recorded drops the next baselines of objects once the inventory has them.
func (m *Memo) Recorded(changed map[manifest.ID]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range changed {
		if j, ok := m.judged[id]; ok {
			j.object.Agreed = nil
		}
	}
}

// Key is what an object was judged under, for the inventory.
func (m *Memo) Key(id manifest.ID) string {
	j, _ := m.get(id)
	return j.key
}

// Remembered says whether the memo has judged anything since it was made.
func (m *Memo) Remembered() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.judged) > 0
}

// Recall takes over what the inventory says was in sync before a restart, for
// objects whose health does not hang on their status and that had no entry in
// the last report: they cost no request if their stamp is still the same.
func (m *Memo) Recall(ctx context.Context, req Request, quiet func(manifest.ID) bool) error {
	r := &run{Request: req, memo: m}
	if err := r.identify(ctx, req.Objects); err != nil {
		return err
	}
	for _, o := range req.Objects {
		e, known := req.Memory[o.ID()]
		stamp := req.Stamp(o.GroupVersionKind(), o.ID())
		if !known || !stamp.Known || !recallable(o, e) || !quiet(o.ID()) {
			continue
		}
		if e.Key != r.key(o) || e.ResourceVersion != stamp.ResourceVersion || e.UID != string(stamp.UID) {
			continue
		}
		m.touch(o.ID(), judged{
			object: recalled(o, e),
			key:    e.Key, stamp: stamp.Stamp, looked: req.Now, until: req.Now.Add(spread(req.Policy.MaxAge/2, o.ID())),
		})
	}
	return nil
}

// recalled is an object that was in sync before a restart and has not changed.
func recalled(o desired.Object, e inventory.Entry) drift.Object {
	return drift.Object{
		ID: o.ID(), Version: o.GroupVersionKind().Version, Source: o.Source,
		Verdict: e.Verdict, Precision: e.Precision, Known: true, UID: e.UID, ResourceVersion: e.ResourceVersion,
		Health: drift.Health{Status: "Current"},
	}
}

// withoutStatus are kinds whose health does not depend on a status.
var withoutStatus = map[string]bool{
	"ConfigMap": true, "Secret": true, "ServiceAccount": true,
	"Role.rbac.authorization.k8s.io": true, "RoleBinding.rbac.authorization.k8s.io": true,
	"ClusterRole.rbac.authorization.k8s.io": true, "ClusterRoleBinding.rbac.authorization.k8s.io": true,
	"NetworkPolicy.networking.k8s.io": true, "PriorityClass.scheduling.k8s.io": true,
}

func recallable(o desired.Object, e inventory.Entry) bool {
	return e.Verdict == "InSync" && e.UID != "" && withoutStatus[o.ID().GroupKind().String()]
}
