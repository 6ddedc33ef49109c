// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/disguise"
)

// Restore adds the restored form to an observation of Read, at the best
// precision that the server and the account allow.
func (c *Cluster) Restore(ctx context.Context, obj manifest.Object, s Surroundings, seen live.Observation) live.Observation {
	if seen.Failure != nil || seen.Waiting != "" {
		return seen
	}
	r, waiting, failure := c.resolve(ctx, obj, s)
	if waiting != "" || failure != nil {
		seen.Waiting, seen.Failure = waiting, failure
		return seen
	}
	a := attempt{
		c: c, resource: r, hide: refusal.NewHide(obj.Unstructured, s.maskFor(obj)),
		fitted: compare.Fitted{Object: obj.DeepCopy()},
	}
	rungs := ladder(obj.Unstructured)
	if seen.Live == nil {
		// Nothing is there that a real name could collide with.
		rungs = []drift.Precision{drift.PrecisionInPlace}
	}
	why, err := c.NoDryRuns(ctx)
	if err != nil {
		seen.Failure = &live.Failure{Reason: ReasonUnreachable, Message: err.Error()}
		return seen
	}
	if why != "" {
		rungs = nil
	}
	a.climb(ctx, rungs, obj.ID())
	a.replace(ctx, seen.Live)
	if a.answer == nil {
		// Without the server's word our own look at its schema has to do.
		a.drop(ctx)
	}
	for _, complaint := range a.fitted.Complaints {
		seen.Findings = append(seen.Findings, complaint.String())
	}
	if seen.Live == nil {
		return a.absent(seen, s)
	}
	return a.present(seen)
}

// Absent is what Read and Restore would see of an object that a watch knows not
// to be there, without a request: whoever creates it hears the server's words
// then. It is not possible where something of the same set may be waited for.
func (c *Cluster) Absent(ctx context.Context, obj manifest.Object, s Surroundings) (seen live.Observation, possible bool) {
	seen.ID = obj.ID()
	if s.namespaces[seen.ID.Namespace] != nil {
		return seen, false
	}
	_, waiting, failure := c.resolve(ctx, obj, s)
	return seen, waiting == "" && failure == nil
}

// Made is what Read and Restore would see of an object that was created just
// now from the whole declaration: the answer is what is live, and what the
// server makes of the declaration.
func (c *Cluster) Made(obj manifest.Object, s Surroundings, answer *unstructured.Unstructured) live.Observation {
	return live.Observation{
		ID: obj.ID(), Live: answer, Restored: answer, Precision: drift.PrecisionRestored,
		Forms: map[string]*unstructured.Unstructured{}, Evidence: s.evidence(obj.ID(), answer),
	}
}

// ladder is the order in which an object is dry-run. The throw-away name comes
// first, since only it shows what is in live beyond the declaration; but not
// where the server checks the name against the content, and last where the
// content holds what only one object can have.
func ladder(obj *unstructured.Unstructured) []drift.Precision {
	switch obj.GroupVersionKind().GroupKind().String() {
	case "CustomResourceDefinition.apiextensions.k8s.io", "APIService.apiregistration.k8s.io",
		"IPAddress.networking.k8s.io", "ClusterTrustBundle.certificates.k8s.io":
		return []drift.Precision{drift.PrecisionInPlace}
	case "Service":
		if takesAddress(obj) {
			return []drift.Precision{drift.PrecisionInPlace, drift.PrecisionRestored}
		}
	}
	return []drift.Precision{drift.PrecisionRestored, drift.PrecisionInPlace}
}

// takesAddress says whether a Service asks for an address or port by number.
func takesAddress(service *unstructured.Unstructured) bool {
	spec, _ := service.Object["spec"].(map[string]any)
	ip, _ := spec["clusterIP"].(string)
	ports, _ := spec["ports"].([]any)
	return ip != "" && ip != "None" || spec["healthCheckNodePort"] != nil ||
		slices.ContainsFunc(ports, func(p any) bool {
			port, _ := p.(map[string]any)
			return port["nodePort"] != nil
		})
}

// attempt is the search for the restored form of one object.
type attempt struct {
	c        *Cluster
	resource Resource
	hide     refusal.Hide
	fitted   compare.Fitted

	answer    *unstructured.Unstructured
	precision drift.Precision
	replaced  bool
	refusals  []refusal.Refusal
}

// climb takes the first rung that the server accepts.
func (a *attempt) climb(ctx context.Context, rungs []drift.Precision, id manifest.ID) {
	if !a.resource.Serves("patch") {
		return
	}
	for _, rung := range rungs {
		key := keyOf(a.resource, id, rung)
		if a.c.denied.recently(key) {
			continue
		}
		name := id.Name
		if rung == drift.PrecisionRestored {
			name = disguise.Name(id)
		}
		answer, refused := a.ask(ctx, name, id.Name)
		if refused == nil {
			a.answer, a.precision = answer, rung
			return
		}
		a.refusals = append(a.refusals, *refused)
		if refused.Kind == refusal.Denied {
			a.c.denied.remember(key)
		}
		if refused.Kind == refusal.Unreachable {
			return
		}
	}
}

// The server names the fields that it does not know one at a time. After a few
// rounds, and before the last, our own look at its schema finds the others.
const (
	patience = 3
	most     = 6
)

func (a *attempt) ask(ctx context.Context, name, realName string) (*unstructured.Unstructured, *refusal.Refusal) {
	for try := 1; ; try++ {
		answer, err := a.c.dry.apply(ctx, a.resource, disguise.As(a.fitted.Object, name))
		if err == nil {
			disguise.Undo(answer, name, realName)
			a.fitted.Complete(answer)
			return answer, nil
		}
		if try == most || !a.fitted.Drop(compare.Complaints(err.Error())) {
			refused := refusal.Of(err, a.hide.Under(name))
			return nil, &refused
		}
		if try == patience {
			a.drop(ctx)
		}
	}
}

// drop leaves out what the schema at hand has no room for. The server is asked
// first, since that schema may be some minutes old.
func (a *attempt) drop(ctx context.Context) {
	types, _, err := a.c.Types(ctx, a.resource.Kind.GroupVersion())
	if err != nil {
		return // the server's own words have to do
	}
	a.fitted.Drop(compare.Fit(a.fitted.Object, types.Schema).Complaints)
}

// replace improves on an apply over the live object, which keeps what others
// put there: whoever created the object by an update owns defaults as well, and
// only the server can tell them from settings. What an apply would own is still
// read from the apply. Where something must not change in place the server
// refuses, and the apply stands.
func (a *attempt) replace(ctx context.Context, live *unstructured.Unstructured) {
	if live == nil || a.answer == nil || a.precision != drift.PrecisionInPlace {
		return
	}
	whole := disguise.As(a.fitted.Object, live.GetName())
	whole.SetResourceVersion(live.GetResourceVersion())
	whole.SetUID(live.GetUID())
	answer, err := a.c.dry.replace(ctx, a.resource, whole)
	if err != nil {
		return
	}
	answer.SetManagedFields(a.answer.GetManagedFields())
	a.fitted.Complete(answer)
	a.answer, a.replaced = answer, true
}

// present concludes for an object that is live.
func (a *attempt) present(seen live.Observation) live.Observation {
	if a.answer != nil {
		seen.Restored, seen.Precision, seen.Replaced = a.answer, a.precision, a.replaced
		return seen
	}
	seen.Precision = drift.PrecisionDeclaredFields
	if r, ok := a.find(refusal.Unreachable); ok {
		seen.Failure = &live.Failure{Reason: ReasonUnreachable, Message: r.Words}
		return seen
	}
	if r, ok := a.fault(); ok {
		seen.Failure = &live.Failure{Reason: ReasonRefused, Message: r.Words}
		return seen
	}
	for _, r := range a.refusals {
		if r.Kind != refusal.Denied {
			seen.Findings = append(seen.Findings, "no dry run: "+r.Words)
		}
	}
	return seen
}

// fault is the manifest's own: what the server says under every name that it
// was allowed to say it under. A refusal under another name alone proves
// nothing.
func (a *attempt) fault() (refusal.Refusal, bool) {
	var last *refusal.Refusal
	for i, r := range a.refusals {
		if r.Kind == refusal.Denied {
			continue
		}
		if r.Kind != refusal.Invalid || last != nil && !r.Shares(*last) {
			return refusal.Refusal{}, false
		}
		last = &a.refusals[i]
	}
	if last == nil {
		return refusal.Refusal{}, false
	}
	return *last, true
}

func (a *attempt) find(kind refusal.Kind) (refusal.Refusal, bool) {
	i := slices.IndexFunc(a.refusals, func(r refusal.Refusal) bool { return r.Kind == kind })
	if i < 0 {
		return refusal.Refusal{}, false
	}
	return a.refusals[i], true
}

// absent concludes for an object that is not live. It needs no restored form;
// what is learned is whether the server would take it.
func (a *attempt) absent(seen live.Observation, s Surroundings) live.Observation {
	if a.answer != nil {
		// Created now, under its own name: this is the restored form.
		seen.Restored, seen.Precision = a.answer, drift.PrecisionRestored
		return seen
	}
	for _, r := range a.refusals {
		switch r.Kind {
		case refusal.Invalid:
			seen.Failure = &live.Failure{Reason: ReasonRefused, Message: r.Words}
		case refusal.Unreachable:
			seen.Failure = &live.Failure{Reason: ReasonUnreachable, Message: r.Words}
		case refusal.NoNamespace:
			seen = withoutNamespace(seen, s)
		case refusal.Policy:
			seen.Findings = append(seen.Findings, "it would be refused now: "+r.Words)
		case refusal.Unserved:
			a.c.Invalidate()
		case refusal.Denied, refusal.Absent:
		}
	}
	return seen
}

func withoutNamespace(seen live.Observation, s Surroundings) live.Observation {
	if s.namespaces[seen.ID.Namespace] != nil {
		seen.Waiting = fmt.Sprintf("Namespace %s is declared in the same set and not live yet", seen.ID.Namespace)
		return seen
	}
	seen.Findings = append(seen.Findings, fmt.Sprintf(
		"namespace %s does not exist and the application does not declare it: create it, or declare it", seen.ID.Namespace))
	return seen
}
