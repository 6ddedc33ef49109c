// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

// Read reads the live kinds in some namespaces, and the cluster-scoped ones.
func (c *Cluster) Read(ctx context.Context, in []string) rule.Live {
	stores := read(ctx, c, secretStores, in, storeState)
	clusterStores := read(ctx, c, clusterSecretStores, nil, storeState)
	return rule.Live{
		Stores:          joined(stores, clusterStores),
		ExternalSecrets: read(ctx, c, externalSecrets, in, externalSecretState),
		SealedSecrets:   read(ctx, c, sealedSecrets, in, producerState),
		Certificates:    read(ctx, c, certificates, in, producerState),
		Secrets:         read(ctx, c, secrets, in, secretState),
		Namespaces:      read(ctx, c, namespaces, nil, namespaceState),
		Versions:        c.versions(ctx),
		Definitions:     c.definitions(ctx),
		Absent:          c.absent(ctx),
	}
}

// operatorKinds are those whose schema the rules compare with.
var operatorKinds = []kind{externalSecrets, secretStores, clusterSecretStores}

// definitions are the schemas of the cluster, by group and kind. One that
// cannot be read is left out: the rules then go by what comes with them.
func (c *Cluster) definitions(ctx context.Context) map[string]schema.Definition {
	out := map[string]schema.Definition{}
	for _, k := range operatorKinds {
		if state := c.state(ctx, k); state.definition != nil {
			out[k.Group+"/"+k.Kind] = *state.definition
		}
	}
	return out
}

func (c *Cluster) absent(ctx context.Context) map[string]bool {
	out := map[string]bool{}
	for _, k := range operatorKinds {
		if c.state(ctx, k).absent {
			out[k.Group+"/"+k.Kind] = true
		}
	}
	return out
}

func storeState(o client.Object) declaration.StoreState {
	return declaration.ReadStoreState(objectOf(o))
}

func externalSecretState(o client.Object) declaration.ExternalSecretState {
	return declaration.ReadExternalSecretState(objectOf(o))
}

func producerState(o client.Object) declaration.ProducerState {
	return declaration.ReadProducerState(objectOf(o))
}

func secretState(o client.Object) declaration.SecretState { return declaration.NewSecretState(o) }

func namespaceState(o client.Object) declaration.Namespace {
	return declaration.NewNamespace(o.GetName(), o.GetLabels())
}

// read reads one kind from the cache, in the given namespaces or, with none,
// everywhere. A kind that is not installed is known to have no objects.
func read[T any](ctx context.Context, c *Cluster, k kind, in []string, model func(client.Object) T) rule.Seen[T] {
	state := c.state(ctx, k)
	if state.absent {
		return rule.Seen[T]{Known: true}
	}
	if !state.open {
		return rule.Seen[T]{Reason: state.reason}
	}
	out := rule.Seen[T]{Known: true}
	everywhere := in == nil
	if everywhere {
		in = []string{""}
	}
	for _, namespace := range in {
		list := k.list(state.version)
		// The objects are read and let go, so the cache need not copy them.
		err := c.cache.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy)
		if err != nil {
			return rule.Seen[T]{Reason: "reading " + k.String() + ": " + reasonOf(err)}
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			if object, ok := item.(client.Object); ok {
				out.Items = append(out.Items, model(object))
			}
			return nil
		})
	}
	return out
}

func joined[T any](a, b rule.Seen[T]) rule.Seen[T] {
	if !a.Known {
		return a
	}
	if !b.Known {
		return b
	}
	a.Items = slices.Concat(a.Items, b.Items)
	return a
}

// versions lists the versions of ExternalSecret that the cluster serves.
func (c *Cluster) versions(ctx context.Context) rule.Seen[string] {
	state := c.state(ctx, externalSecrets)
	if state.absent {
		// No definition, no version: what the next one will serve is not known.
		return rule.Seen[string]{Reason: "the kind is not installed"}
	}
	mappings, err := c.mapper.RESTMappings(externalSecrets.GroupKind)
	if err != nil {
		return rule.Seen[string]{Reason: reasonOf(err)}
	}
	out := rule.Seen[string]{Known: true}
	for _, mapping := range mappings {
		out.Items = append(out.Items, mapping.GroupVersionKind.Version)
	}
	return out
}
