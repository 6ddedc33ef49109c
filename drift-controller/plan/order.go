// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/change"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Step is one write, or two that belong together, to one object.
type Step struct {
	Verb    Verb
	Needs   api.Stage
	ID      manifest.ID
	Version string
	// UID and State that were judged; both empty for Create. The state of a
	// deletion is the resourceVersion: what moved on is looked at again.
	UID, State string
	// Rank orders steps; those of one rank may go at the same time.
	Rank int
	// Full: the declaration is applied, with Keep holding their live values.
	Full bool
	Keep []fieldpath.Path
	// Edits are made beside it, or alone.
	Edits    []change.Edit
	Pointers []string
	// Seen is when the object was looked at that the step rests on.
	Seen time.Time
}

// Steps are the granted actions, one step for each object, in order. What was
// planned for an object beyond its first step comes after it was judged again.
func (p Plan) Steps() []Step {
	byID := map[manifest.ID]drift.Object{}
	for _, o := range p.input.Objects {
		byID[o.ID] = o
	}
	steps := map[manifest.ID]*Step{}
	for _, a := range p.Actions {
		if a.Verb == Leave || a.Refusal != "" {
			continue
		}
		s := steps[a.ID]
		if s == nil {
			s = p.step(a, byID[a.ID])
			steps[a.ID] = s
		}
		s.take(a, byID[a.ID])
	}
	list := make([]Step, 0, len(steps))
	for _, s := range steps {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Step) int { return cmp.Or(a.Rank-b.Rank, a.ID.Compare(b.ID)) })
	return list
}

func (p Plan) step(a Action, o drift.Object) *Step {
	s := &Step{Verb: a.Verb, Needs: a.Needs, ID: a.ID, Version: o.Version, UID: o.UID, State: o.State, Rank: rank(a.ID, p.input.Policy.Waves), Seen: o.Seen}
	if a.Verb == Delete {
		r := p.removed(a.ID)
		s.Version, s.UID, s.State, s.Seen = r.Version, r.UID, r.ResourceVersion, r.Seen
		s.Rank = last - s.Rank // the other way round
	}
	if a.Verb == Restore {
		s.Version, s.Full = p.pruned(a.ID), true
	}
	if a.Verb == Create {
		s.UID, s.State, s.Full = "", "", true
	}
	return s
}

// take adds an action to the step of its object. Applying comes before
// reverting: the revert is judged on what the apply leaves.
func (s *Step) take(a Action, o drift.Object) {
	if s.Verb == Revert && a.Verb == Apply {
		*s = Step{Verb: Apply, Needs: a.Needs, ID: s.ID, Version: s.Version, UID: s.UID, State: s.State, Rank: s.Rank, Seen: s.Seen}
	}
	if s.Verb != a.Verb {
		return
	}
	s.Pointers = append(s.Pointers, a.Pointer)
	switch {
	case a.Verb == Revert, a.Verb == Apply && !a.how.declared:
		s.Edits = append(s.Edits, a.how.edit)
	case a.Verb == Apply:
		s.Full = true
	case a.Verb == Create, a.Verb == Restore, a.Verb == Delete, a.Verb == Leave:
	}
	s.Keep = nil
	for _, j := range o.Judgements {
		if s.Full && j.Declared && !slices.Contains(s.Pointers, j.Pointer) {
			s.Keep = append(s.Keep, j.Path)
		}
	}
}

// waves holds what comes later until what comes first is there and healthy. A
// worker never waits for it: the next run looks again.
func (p *Plan) waves() {
	waves := p.input.Policy.Waves
	if len(waves) == 0 {
		return
	}
	open, first := "", 0
	for _, o := range p.input.Objects {
		reason := p.unfinished(o)
		if reason != "" && (open == "" || waves[o.ID] < first) {
			open, first = fmt.Sprintf("%s of wave %d %s", o.ID, waves[o.ID], reason), waves[o.ID]
		}
	}
	for i := range p.Actions {
		a := &p.Actions[i]
		if open != "" && a.Refusal == "" && a.Needs == api.StageSync && waves[a.ID] > first && !early(a.ID) {
			a.Refusal = "waits for " + open
		}
	}
}

// unfinished says why later waves wait for an object.
func (p *Plan) unfinished(o drift.Object) string {
	if o.Verdict == api.VerdictMissing {
		return "is missing"
	}
	for _, a := range p.Actions {
		if a.ID == o.ID && a.Needs == api.StageSync && a.Verb != Leave {
			return "is not applied yet"
		}
	}
	if o.Health.Status != "Current" && o.Health.Status != "Unknown" {
		return "is " + o.Health.Status
	}
	return ""
}

// kinds in the order in which they are written. What is not listed comes
// between the last two groups: custom resources need their definitions, and
// what intercepts writes would meet the rest.
var kinds = [][]string{
	{"Namespace", "CustomResourceDefinition.apiextensions.k8s.io"},
	{"PriorityClass.scheduling.k8s.io", "StorageClass.storage.k8s.io", "IngressClass.networking.k8s.io", "RuntimeClass.node.k8s.io", "GatewayClass.gateway.networking.k8s.io"},
	{"ResourceQuota", "LimitRange", "NetworkPolicy.networking.k8s.io", "ServiceAccount", "Secret", "ConfigMap", "PersistentVolume"},
	{"ClusterRole.rbac.authorization.k8s.io", "Role.rbac.authorization.k8s.io", "PersistentVolumeClaim"},
	{"ClusterRoleBinding.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io", "Service"},
	{"DaemonSet.apps", "Deployment.apps", "StatefulSet.apps", "ReplicaSet.apps", "Pod", "Job.batch", "CronJob.batch"},
}

var intercepting = []string{
	"ValidatingWebhookConfiguration.admissionregistration.k8s.io", "MutatingWebhookConfiguration.admissionregistration.k8s.io",
	"APIService.apiregistration.k8s.io",
}

const (
	perWave = 16 // more than there are groups of kinds
	last    = 1 << 30
)

// early objects come before any wave: others cannot be there without them.
func early(id manifest.ID) bool { return slices.Contains(kinds[0], id.GroupKind().String()) }

func rank(id manifest.ID, waves map[manifest.ID]int) int {
	kind := id.GroupKind().String()
	group := len(kinds)
	for i, names := range kinds {
		if slices.Contains(names, kind) || (i == 1 && strings.HasSuffix(id.Kind, "Class")) {
			group = i
			break
		}
	}
	if slices.Contains(intercepting, kind) {
		group++
	}
	if early(id) {
		return -last/2 + group
	}
	return waves[id]*perWave + group
}
