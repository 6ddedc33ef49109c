// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

// Sent counts what the controllers asked of the API server.
type Sent struct {
	// Reads and DryRuns as observers of managed objects.
	Reads, DryRuns int
	// Own are writes to the controllers' own kinds, events and leases.
	Own int
	// Asked are questions to sources, by their one annotation.
	Asked []audit.Event
	// Applied and Pruned are persisting requests of the accounts that an
	// application names for it: creating and patching, and deleting.
	Applied, Pruned []audit.Event
	// Foreign are persisting requests to anything else, and those are to be
	// none; a request that was refused counts too.
	Foreign []audit.Event
}

// Beyond are all persisting requests to what is not the controllers' own: at
// Observe there are none.
func (s Sent) Beyond() []audit.Event {
	return slices.Concat(s.Asked, s.Applied, s.Pruned, s.Foreign)
}

// Sent reads from the audit log what the controllers have sent so far, or what
// they sent about one namespace.
func (l *Lab) Sent(ctx context.Context, matches ...audit.Match) (Sent, error) {
	events, err := l.Cluster.Audit(ctx)
	if err != nil {
		return Sent{}, fmt.Errorf("reading the audit log: %w", err)
	}
	var sent Sent
	for _, controller := range []string{holdfast.Source, holdfast.Drift, holdfast.Secrets} {
		for _, e := range audit.Select(events, append(matches, audit.ByUser(holdfast.Account(controller)))...) {
			sent.count(controller, e)
		}
	}
	return sent, nil
}

func (s *Sent) count(controller string, e audit.Event) {
	acting := e.ImpersonatedUser != ""
	switch {
	case e.IsPersisting() && controller == holdfast.Drift && actsAs(e, Deployer) && (e.Verb == "create" || e.Verb == "patch"):
		s.Applied = append(s.Applied, e)
	case e.IsPersisting() && controller == holdfast.Drift && actsAs(e, Pruner) && e.Verb == "delete":
		s.Pruned = append(s.Pruned, e)
	case e.IsPersisting() && !acting && controller == holdfast.Drift && asks(e):
		s.Asked = append(s.Asked, e)
	case e.IsPersisting() && (acting || !own(controller, e)):
		s.Foreign = append(s.Foreign, e)
	case e.IsPersisting():
		s.Own++
	case acting && e.DryRun:
		s.DryRuns++
	case acting:
		s.Reads++
	}
}

// actsAs says whether a request was made as an account of the very namespace
// that it is about, or, where it is about none, of any: which of them may is a
// Project's to say.
func actsAs(e audit.Event, account string) bool {
	namespace, name, _ := strings.Cut(strings.TrimPrefix(e.ImpersonatedUser, "system:serviceaccount:"), ":")
	return name == account && (e.Object.Namespace == "" || e.Object.Namespace == namespace)
}

// asks: the drift-controller may patch a source, not its status.
func asks(e audit.Event) bool {
	return e.Object.Group == "source.toolkit.fluxcd.io" && e.Verb == "patch" && e.Object.Subresource == ""
}

// own says whether a write is one that a controller is there to make.
func own(controller string, e audit.Event) bool {
	switch e.Object.Resource {
	case "events":
		return true
	case "leases":
		return e.Object.Namespace == holdfast.Namespace
	}
	switch controller {
	case holdfast.Source:
		return e.Object.Group == "source.toolkit.fluxcd.io"
	case holdfast.Secrets:
		return e.Object.Group == "secrets.holdfast.dev" && e.Object.Resource == "secretreports"
	}
	return ownOfDrift(e.Verb, e.Object)
}

// ownOfDrift: the drift-controller writes the status and the finalizers of its
// own kinds, and makes pages. What a user declares it never writes: that a patch
// of an Application is about its finalizer is what config/policy sees to.
func ownOfDrift(verb string, o audit.Object) bool {
	if o.Group != "drift.holdfast.dev" {
		return false
	}
	switch o.Resource {
	case "driftreports", "inventories":
		return true
	}
	if o.Resource == "applications" && verb == "patch" {
		return true
	}
	return o.Subresource == "status" || o.Subresource == "finalizers"
}
