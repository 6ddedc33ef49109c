// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// kind is one live kind that rules look at.
type kind struct {
	schema.GroupKind
	// metadata: only metadata is requested. Of a Secret nothing else may be.
	metadata bool
	// digest is what the rules see of an object. An event that leaves it
	// unchanged wakes nobody: operators write times at every refresh.
	digest func(client.Object) any
}

var (
	secretStores = kind{
		GroupKind: schema.GroupKind{Group: "external-secrets.io", Kind: declaration.SecretStoreKind},
		digest:    func(o client.Object) any { return declaration.ReadStoreState(objectOf(o)) },
	}
	clusterSecretStores = kind{
		GroupKind: schema.GroupKind{Group: "external-secrets.io", Kind: declaration.ClusterSecretStoreKind},
		digest:    func(o client.Object) any { return declaration.ReadStoreState(objectOf(o)) },
	}
	externalSecrets = kind{
		GroupKind: schema.GroupKind{Group: "external-secrets.io", Kind: "ExternalSecret"},
		digest:    func(o client.Object) any { return declaration.ReadExternalSecretState(objectOf(o)) },
	}
	sealedSecrets = kind{
		GroupKind: schema.GroupKind{Group: "bitnami.com", Kind: "SealedSecret"},
		digest:    func(o client.Object) any { return declaration.ReadProducerState(objectOf(o)) },
	}
	certificates = kind{
		GroupKind: schema.GroupKind{Group: "cert-manager.io", Kind: "Certificate"},
		digest:    func(o client.Object) any { return declaration.ReadProducerState(objectOf(o)) },
	}
	secrets = kind{
		GroupKind: schema.GroupKind{Kind: "Secret"}, metadata: true,
		digest: func(o client.Object) any { return declaration.NewSecretState(o) },
	}
	namespaces = kind{
		GroupKind: schema.GroupKind{Kind: "Namespace"}, metadata: true,
		digest: func(o client.Object) any { return o.GetLabels() },
	}
)

// WatchesDefinition says whether a CustomResourceDefinition, by its name,
// defines one of the kinds that are read.
func WatchesDefinition(name string) bool {
	switch name {
	case "secretstores.external-secrets.io", "clustersecretstores.external-secrets.io",
		"externalsecrets.external-secrets.io", "sealedsecrets.bitnami.com", "certificates.cert-manager.io":
		return true
	}
	return false
}

// sample is an empty object of the kind, in the form that is watched.
func (k kind) sample(version string) client.Object {
	gvk := k.WithVersion(version)
	if k.metadata {
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(gvk)
		return object
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	return object
}

// list is an empty list of the kind, in the form that is watched.
func (k kind) list(version string) client.ObjectList {
	gvk := k.WithVersion(version)
	gvk.Kind += "List"
	if k.metadata {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk)
		return list
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk)
	return list
}

func objectOf(o client.Object) declaration.Object {
	if u, ok := o.(*unstructured.Unstructured); ok {
		return declaration.NewObject(u.Object)
	}
	return declaration.NewObject(nil)
}
