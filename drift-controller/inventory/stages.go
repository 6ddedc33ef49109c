// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
)

// neverAgreed marks a declared path whose value in Git was never seen live.
const neverAgreed = "-"

// Settle makes what Git declares now the baseline of an object, but for what
// Git has changed and nobody applied yet: the step to Sync makes no news of old
// differences. Only a judged object can be settled.
func (e Entry) Settle(o drift.Object) Entry {
	if e.Settled || o.Verdict == api.VerdictUnknown || o.Verdict == api.VerdictMissing {
		return e
	}
	baseline := e.Baseline.Unpack()
	for _, j := range o.Judgements {
		if !j.Declared || j.Class == api.ClassPending {
			continue
		}
		if baseline == nil {
			baseline = drift.Baseline{}
		}
		for _, leaf := range j.Leaves {
			baseline[drift.PointerKey(leaf)] = neverAgreed
		}
		if j.Restored != "" && len(j.Leaves) == 0 {
			baseline[drift.PointerKey(j.Pointer)] = j.Restored
		}
	}
	e.Baseline, e.Settled = Pack(baseline), true
	return e
}

// Flag keeps which differences of the object are backlog.
func (e Entry) Flag(pointers []string) Entry {
	keys := make([]string, 0, len(pointers))
	for _, p := range pointers {
		keys = append(keys, drift.PointerKey(p))
	}
	slices.Sort(keys)
	e.Backlog = joined(slices.Compact(keys))
	return e
}

// Flagged says whether a difference was backlog before.
func (e Entry) Flagged(pointer string) bool {
	return slices.Contains(split(e.Backlog), drift.PointerKey(pointer))
}

func joined(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return strings.Join(keys, ";") + ";"
}

func split(keys string) []string {
	if keys == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(keys, ";"), ";")
}

// Intend records that the object is about to be created by us. A crash after
// the write leaves this behind, so that the object is nobody's orphan.
func (e Entry) Intend() Entry {
	if e.UID == "" {
		e.Origin = api.OriginApplied
	}
	return e
}

// Intended says that only an intent is known of the object: it was about to be
// created when its entry was written.
func (e Entry) Intended() bool { return e.UID == "" && e.Origin == api.OriginApplied }

// Created records the object as we wrote it. Where our write was not the one
// that made it, it was there before.
func (e Entry) Created(uid string, made bool) Entry {
	if uid == "" {
		return e
	}
	e.UID, e.Origin, e.Settled = uid, api.OriginAdopted, true
	if made {
		e.Origin = api.OriginApplied
	}
	return e
}
