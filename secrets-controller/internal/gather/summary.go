// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// destination is the cluster and namespace that an Application's objects go to.
type destination struct {
	// cluster is empty for the cluster that the controller runs in.
	cluster   string
	namespace string
}

func destinationOf(app *driftv1.Application) destination {
	out := destination{namespace: app.Spec.Destination.Namespace}
	if out.namespace == "" {
		out.namespace = app.Namespace
	}
	if remote := app.Spec.Destination.KubeConfig; remote != nil {
		// Two Applications go to one cluster for certain only if they name
		// one kubeconfig.
		out.cluster = app.Namespace + "/" + remote.SecretRef.Name + "/" + remote.SecretRef.Key
	}
	return out
}

// summarise notes what a declaration provides to neighbours and needs from
// them, so that a change wakes those that look at it and nobody else. The
// values of provides change with what a neighbour can see of the thing.
func (e *entry) summarise() {
	e.provides, e.needs = map[string]string{}, map[string]bool{}
	e.provide()
	e.need()
	e.note("unread/" + e.destination.namespace)
}

func (e *entry) provide() {
	provides := func(key string, seen any) {
		// Two producers of one Secret are both part of its summary.
		e.provides[e.key(key)] += digestOf(seen) + ";"
	}
	e.productions = map[string][]declaration.Production{}
	for _, p := range e.set.Productions(nil) {
		provides("secret/"+p.Namespace+"/"+p.Name, p)
		e.productions[p.Namespace] = append(e.productions[p.Namespace], p)
	}
	for _, ces := range e.set.ClusterExternalSecrets {
		provides("any-secret/"+ces.Target.Name, ces)
	}
	for _, store := range e.set.Stores {
		provides("store/"+store.Ref.Name, store)
	}
	for _, c := range e.set.ConfigMaps {
		provides("configmap/"+c.Ref.Namespace+"/"+c.Ref.Name, c)
	}
	for _, namespace := range e.set.Namespaces {
		provides("namespace/"+namespace.Name, namespace)
	}
}

func (e *entry) need() {
	for _, ref := range e.set.References {
		e.note("secret/" + ref.Namespace + "/" + ref.Secret)
		e.note("any-secret/" + ref.Secret)
		e.in(ref.Namespace)
	}
	for _, es := range e.set.ExternalSecrets {
		e.note("secret/" + es.Ref.Namespace + "/" + es.Target.Name)
		e.note("any-secret/" + es.Target.Name)
		e.stores(es.Spec)
		if es.Target.Template != nil {
			for _, from := range es.Target.Template.From {
				e.note("configmap/" + es.Ref.Namespace + "/" + from.Name)
				e.note("secret/" + es.Ref.Namespace + "/" + from.Name)
			}
		}
		e.in(es.Ref.Namespace)
	}
	for _, ces := range e.set.ClusterExternalSecrets {
		e.stores(ces.Spec)
	}
	for _, sealed := range e.set.SealedSecrets {
		e.in(sealed.Ref.Namespace)
	}
	for _, certificate := range e.set.Certificates {
		e.in(certificate.Ref.Namespace)
	}
	for _, store := range e.set.Stores {
		e.in(store.Ref.Namespace)
		for _, credential := range store.Credentials {
			e.note("secret/" + credential.Namespace + "/" + credential.Name)
			e.in(credential.Namespace)
		}
	}
	e.in(e.destination.namespace)
}

func (e *entry) stores(spec declaration.Spec) {
	e.note("store/" + spec.Store.Name)
	for _, item := range spec.Data {
		e.itemStore(item.Source)
	}
	for _, item := range spec.DataFrom {
		e.itemStore(item.Source)
	}
}

func (e *entry) itemStore(source declaration.ItemSource) {
	if source.Store != nil {
		e.note("store/" + source.Store.Name)
	}
}

// key makes a name that is distinct for each cluster.
func (e *entry) key(name string) string { return e.destination.cluster + "|" + name }

func (e *entry) note(name string) { e.needs[e.key(name)] = true }

// in notes a namespace that the declaration looks at.
func (e *entry) in(namespace string) {
	if namespace == "" || slices.Contains(e.namespaces, namespace) {
		return
	}
	e.namespaces = append(e.namespaces, namespace)
	e.note("namespace/" + namespace)
	e.note("unread/" + namespace)
}

// unknown is the summary of a declaration that nobody has read: all that it
// provides is the doubt about what it declares in its namespace.
func unknown(target destination, why string) *entry {
	e := &entry{destination: target, needs: map[string]bool{}, namespaces: []string{target.namespace}}
	e.provides = map[string]string{e.key("unread/" + target.namespace): why}
	return e
}

// digestOf is a short digest of a value's encoding, to tell a change. It holds
// names only, but there is no need to keep them a second time.
func digestOf(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		// Never equal to itself is the safe side: it wakes too many.
		return err.Error()
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}
