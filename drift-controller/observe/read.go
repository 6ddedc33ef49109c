// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/marks"
)

// Reasons of a live.Failure.
const (
	// ReasonForbidden: the account may not read the object.
	ReasonForbidden = "Forbidden"
	// ReasonRefused: the server does not accept the manifest.
	ReasonRefused = "Refused"
	// ReasonUnreadable: the server has an answer, and it is no object.
	ReasonUnreadable = "Unreadable"
	// ReasonUnreachable: there was no answer in time.
	ReasonUnreachable = "Unreachable"
	// ReasonUnknownKind: the server serves no such kind in this version.
	ReasonUnknownKind = "UnknownKind"
	// ReasonDiscovery: the kind may exist; discovery could not tell.
	ReasonDiscovery = "DiscoveryIncomplete"
)

// Observe sees one declared object: live, its restored form and the evidence.
// It costs two requests, three where the first dry run is refused.
func (c *Cluster) Observe(ctx context.Context, obj manifest.Object, s Surroundings) live.Observation {
	return c.Restore(ctx, obj, s, c.Read(ctx, obj, s))
}

// Read sees the live object and the evidence, with one request.
func (c *Cluster) Read(ctx context.Context, obj manifest.Object, s Surroundings) live.Observation {
	o := live.Observation{ID: obj.ID()}
	r, waiting, failure := c.resolve(ctx, obj, s)
	if o.Waiting, o.Failure = waiting, failure; waiting != "" || failure != nil {
		return o
	}
	found, err := c.objects.get(ctx, r, obj.GetNamespace(), obj.GetName())
	if err != nil {
		return c.unread(ctx, o, r, s, err)
	}
	o.Live = found
	o.Evidence = s.evidence(o.ID, found)
	o.Forms = c.forms(ctx, r, found)
	return o
}

// forms reads the object in each other version in which somebody wrote more
// than metadata: paths of such a writer belong to that version.
func (c *Cluster) forms(ctx context.Context, r Resource, found *unstructured.Unstructured) map[string]*unstructured.Unstructured {
	forms := map[string]*unstructured.Unstructured{}
	for _, entry := range found.GetManagedFields() {
		version := entry.APIVersion
		if version == found.GetAPIVersion() || entry.Subresource == "status" || forms[version] != nil || !beyondMetadata(entry) {
			continue
		}
		gv, err := schema.ParseGroupVersion(version)
		if err != nil || gv.Group != r.Kind.Group {
			continue
		}
		other := r
		other.Path.Version, other.Kind.Version = gv.Version, gv.Version
		// A version that is not served any more tells nothing: who wrote in it
		// stays unknown.
		if form, err := c.objects.get(ctx, other, found.GetNamespace(), found.GetName()); err == nil {
			forms[version] = form
		}
	}
	return forms
}

func beyondMetadata(entry metav1.ManagedFieldsEntry) bool {
	var fields map[string]json.RawMessage
	if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return false
	}
	delete(fields, "f:metadata")
	return len(fields) > 0
}

// resolve finds the kind of an object. One that comes with a definition of the
// same set waits for it.
func (c *Cluster) resolve(ctx context.Context, obj manifest.Object, s Surroundings) (Resource, string, *live.Failure) {
	kind := obj.GroupVersionKind()
	r, err := c.Resource(ctx, kind)
	switch crd := s.definitions[kind]; {
	case errors.Is(err, ErrUnknownKind) && crd != "":
		return r, "CustomResourceDefinition " + crd + " is declared in the same set and not served yet", nil
	case errors.Is(err, ErrUnknownKind):
		return r, "", &live.Failure{Reason: ReasonUnknownKind, Message: err.Error()}
	case errors.Is(err, ErrIncomplete):
		return r, "", &live.Failure{Reason: ReasonDiscovery, Message: err.Error()}
	case err != nil:
		return r, "", &live.Failure{Reason: ReasonUnreachable, Message: err.Error()}
	case !r.Serves("get"):
		return r, "", &live.Failure{Reason: ReasonUnreadable, Message: fmt.Sprintf(
			"%s cannot be read back from the server (no verb get), so it cannot be compared: take it out of Git", r.Path.GroupResource())}
	case r.Namespaced && obj.GetNamespace() == "":
		return r, "", &live.Failure{Reason: ReasonRefused, Message: fmt.Sprintf(
			"%s %s has no namespace: set metadata.namespace or the application's destination", kind.Kind, obj.GetName())}
	}
	return r, "", nil
}

// unread tells an absent object from one that could not be read.
func (c *Cluster) unread(ctx context.Context, o live.Observation, r Resource, s Surroundings, err error) live.Observation {
	refused := refusal.Of(err, refusal.NewHide(&unstructured.Unstructured{}, s.mask))
	switch refused.Kind {
	case refusal.Absent, refusal.NoNamespace:
		return o
	case refusal.Unserved:
		// The kind went away after discovery was asked; the next observation
		// finds that out and says what it waits for.
		c.Invalidate()
		o.Failure = &live.Failure{Reason: ReasonUnknownKind, Message: fmt.Sprintf(
			"the server does not serve %s any more", r.Path.GroupResource())}
	case refusal.Denied:
		advice := c.toGrant("get", r, o.ID.Namespace)
		if strings.Contains(refused.Words, "cannot impersonate ") {
			advice = c.toImpersonate()
		}
		o.Failure = &live.Failure{Reason: ReasonForbidden, Message: advice + ": " + refused.Words}
	case refusal.Unreachable:
		o.Failure = &live.Failure{Reason: ReasonUnreachable, Message: refused.Words}
	case refusal.Invalid, refusal.Policy:
		o.Failure = &live.Failure{Reason: ReasonUnreadable, Message: refused.Words}
	}
	if ctx.Err() != nil {
		o.Failure.Reason = ReasonUnreachable
	}
	return o
}

// toGrant says what right is missing and where to give it.
func (c *Cluster) toGrant(verb string, r Resource, namespace string) string {
	place := "in a ClusterRole"
	if r.Namespaced {
		place = "in a Role of namespace " + namespace
	}
	return fmt.Sprintf("grant %s the verb %s on %s %s", c.account(), verb, r.Path.GroupResource(), place)
}

// toImpersonate says what the drift-controller lacks to act as the account.
func (c *Cluster) toImpersonate() string {
	i := c.Identity()
	return fmt.Sprintf("let the drift-controller act as %s: grant it the verb impersonate on serviceaccounts, resourceNames [%s], in a Role of namespace %s",
		c.account(), i.ServiceAccount, i.Namespace)
}

// evidence looks up what was gathered about one object.
func (s Surroundings) evidence(id manifest.ID, found *unstructured.Unstructured) live.Evidence {
	return live.Evidence{
		Scalers:  s.scalers[id],
		Sizers:   s.sizers[id],
		Routers:  s.routers[id],
		Mutators: s.admission.Mutators(found, s.namespaceLabels(id, found)),
		Tracked:  marks.Tracked(found),
	}
}
