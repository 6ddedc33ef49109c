// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// strays takes the census every ten minutes, since it lists every kind. A
// render that proves nothing about absence leaves strays untold.
func (p *pass) strays(ctx context.Context) error {
	const every = 10 * time.Minute
	last := p.known.census
	switch {
	case p.in.denied != "" || !p.in.reportStrays():
		p.known.census = census{}
		return nil
	case len(p.facts.Incomplete) > 0:
		p.facts.Notes = append(p.facts.Notes, "strays are unknown while the render is incomplete")
		p.known.census = census{}
		return nil
	case !last.at.IsZero() && p.now.Sub(last.at) < every && !p.in.asked && last.of == p.known.set.key:
		return nil
	}
	others, err := p.declaredElsewhere(ctx, p.app)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	hooks := p.hooks()
	found, err := p.in.observer.Census(ctx, p.namespaces(), func(id manifest.ID) bool {
		return p.set.Declares(id) || hooks[id] || others[id] || p.known.memory.Knows(id) || p.in.keeps(id)
	})
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "looking for strays: %w", err)
	}
	p.known.census = census{strays: found.Strays, unlisted: found.Unlisted, at: p.now, of: p.known.set.key}
	return nil
}

// hooks are in Git and not run by us: one that its tool left standing is no
// stray.
func (p *pass) hooks() map[manifest.ID]bool {
	known := map[manifest.ID]bool{}
	for _, h := range p.rendered.Result.Hooks {
		id := h.ID
		id.Namespace = cmp.Or(id.Namespace, p.in.namespace)
		known[id] = true
	}
	return known
}

// namespaces are those of the declared objects, and the destination itself.
func (p *pass) namespaces() []string {
	if slices.Contains(p.set.Namespaces, p.in.namespace) {
		return p.set.Namespaces
	}
	return append(slices.Clone(p.set.Namespaces), p.in.namespace)
}

// removed looks at what the inventory has and Git dropped. An incomplete
// render proves no absence.
func (p *pass) removed(ctx context.Context) error {
	gone := p.known.memory.Removed(p.set.Declares)
	if len(p.facts.Incomplete) > 0 || p.in.denied != "" || len(gone) == 0 {
		p.known.removed = nil
		return nil
	}
	others, err := p.declaredElsewhere(ctx, p.app)
	if err != nil {
		return halt.Retryf(contract.APIUnavailableReason, "%w", err)
	}
	var handed []manifest.ID
	gone = slices.DeleteFunc(gone, func(e inventory.Entry) bool {
		if others[e.ID] {
			handed = append(handed, e.ID)
		}
		return others[e.ID]
	})
	removed, vanished, err := p.known.memo.Removed(ctx, p.request(), gone)
	if err != nil {
		return err
	}
	if forget := slices.Concat(handed, vanished); len(forget) > 0 {
		p.known.memory, p.known.forgot = p.known.memory.Forget(forget...), true
	}
	p.known.removed = removed
	return nil
}
