// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
)

// Relic is an object of the inventory that is declared no more, as it is now.
type Relic struct {
	inventory.Entry
	// Version that was read now, together with the UID; empty if it was not read.
	Now string
	// Unread: why it could not be looked at; empty if it could.
	Unread string
	// Stays: what the object itself says against its deletion; empty if nothing.
	Stays string
	// Going: it is being deleted, and not gone yet.
	Going bool
}

// keepers are annotations by which people ask other tools to leave an object
// alone. They mean the object, and not the tool.
var keepers = map[string]string{
	"helm.sh/resource-policy":                 "keep",
	"kustomize.toolkit.fluxcd.io/prune":       "disabled",
	"argocd.argoproj.io/sync-options":         "Prune=false",
	"client.lifecycle.config.k8s.io/deletion": "detach",
}

// Removed looks at what is in the inventory and no longer declared. Gone are
// those proven not to be there any more as the object that they were.
func (m *Memo) Removed(ctx context.Context, req Request, entries []inventory.Entry) (relics []Relic, gone []manifest.ID, err error) {
	for _, e := range entries {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(schema.GroupVersionKind{Group: e.ID.Group, Version: e.Version, Kind: e.ID.Kind})
		o.SetNamespace(e.ID.Namespace)
		o.SetName(e.ID.Name)
		seen := req.Cluster.Read(ctx, manifest.Object{Unstructured: o}, observe.Surroundings{})
		switch {
		case unreachable(seen) != nil:
			return nil, nil, unreachable(seen)
		case seen.Failure != nil && seen.Failure.Reason == observe.ReasonUnknownKind:
			gone = append(gone, e.ID) // its definition is gone, and its objects with it
		case seen.Failure != nil:
			relics = append(relics, Relic{Entry: e, Unread: "it could not be looked at: " + seen.Failure.Message})
		case seen.Live != nil && e.Intended():
			// We were about to create it and died. Whether it is ours nobody
			// can tell, so it is neither forgotten nor deleted unasked.
			e.UID, e.Origin = string(seen.Live.GetUID()), api.OriginAdopted
			relics = append(relics, relicOf(e, seen.Live))
		case seen.Live == nil, e.UID == "", string(seen.Live.GetUID()) != e.UID:
			gone = append(gone, e.ID)
		default:
			relics = append(relics, relicOf(e, seen.Live))
		}
	}
	return relics, gone, nil
}

func relicOf(e inventory.Entry, live *unstructured.Unstructured) Relic {
	r := Relic{Entry: e, Now: live.GetResourceVersion()}
	if live.GetDeletionTimestamp() != nil {
		r.Stays, r.Going = "it is being deleted already", true
		return r
	}
	if owner := metav1.GetControllerOf(live); owner != nil {
		r.Stays = fmt.Sprintf("%s %s controls it", owner.Kind, owner.Name)
		return r
	}
	annotations := live.GetAnnotations()
	for key, word := range keepers {
		if annotations[key] != "" && asks(annotations[key], word) {
			r.Stays = fmt.Sprintf("it carries %s: %s (take that away if it is not meant)", key, word)
		}
	}
	return r
}

// asks: Argo CD has several options in one annotation.
func asks(value, word string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(option string) bool { return strings.TrimSpace(option) == word })
}
