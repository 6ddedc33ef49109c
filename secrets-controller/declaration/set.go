// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Set is what one rendered artifact declares about secrets.
type Set struct {
	ExternalSecrets        []ExternalSecret
	ClusterExternalSecrets []ClusterExternalSecret
	Stores                 []Store
	Secrets                []Secret
	SealedSecrets          []SealedSecret
	Certificates           []Certificate
	Namespaces             []Namespace
	// References are the consumed Secrets, and keys of Secrets.
	References []Reference
	// Grants allow references into another namespace (Gateway API).
	Grants []Grant
	// implied are the productions that are no object of their own: an Ingress
	// that asks cert-manager for its certificate, an ACME account key.
	implied []Production
	// generators by kind/namespace/name, for the keys that they yield.
	generators map[string]Keys
}

// Options tell what the stream itself cannot.
type Options struct {
	// Namespace of namespaced objects that name none.
	Namespace string
	// EvidenceKey keys the digests of raw values; masks bring their own.
	EvidenceKey []byte
}

// Read builds the model. Kinds that have nothing to say about secrets are
// passed over.
func Read(objects []Object, options Options) Set {
	set := Set{generators: map[string]Keys{}}
	for _, object := range objects {
		set.read(object, options)
	}
	return set
}

// reader adds one object to the set.
type reader func(*Set, Object, Options)

// readers by group and kind. The version does not matter here: a version that
// is no longer served is the finding of a rule, and the content still counts.
var readers = map[string]reader{
	"external-secrets.io/ExternalSecret":        readExternalSecret,
	"external-secrets.io/ClusterExternalSecret": readClusterExternalSecret,
	"external-secrets.io/SecretStore":           readDeclaredStore,
	"external-secrets.io/ClusterSecretStore":    readDeclaredStore,
	"bitnami.com/SealedSecret":                  readSealedSecret,
	"cert-manager.io/Certificate":               readCertificate,
	"cert-manager.io/Issuer":                    readIssuer,
	"/Secret":                                   readSecret,
	"/Namespace":                                readNamespace,
	"/ServiceAccount":                           readServiceAccount,
	"networking.k8s.io/Ingress":                 readIngress,
	"extensions/Ingress":                        readIngress,
	"gateway.networking.k8s.io/Gateway":         readGateway,
	"gateway.networking.k8s.io/ReferenceGrant":  readGrant,
}

// clusterScoped are the kinds among the readers that have no namespace.
var clusterScoped = map[string]bool{
	"external-secrets.io/ClusterExternalSecret": true,
	"external-secrets.io/ClusterSecretStore":    true,
	"/Namespace":                                true,
}

func (s *Set) read(object Object, options Options) {
	id := object.group() + "/" + object.Ref.Kind
	read, known := readers[id]
	switch {
	case known:
	case podTemplates[id] != nil:
		read = readWorkload
	case object.group() == generatorGroup:
		read = readGenerator
	default:
		return
	}
	switch {
	case clusterScoped[id]:
		// Cluster-scoped kinds ignore a namespace that somebody wrote down.
		object.Ref.Namespace = ""
	case object.Ref.Namespace == "":
		object.Ref.Namespace = options.Namespace
	}
	read(s, object, options)
}

// Namespace is a declared namespace with its labels.
type Namespace struct {
	Name   string
	Labels map[string]string
}

func readNamespace(s *Set, object Object, _ Options) {
	s.Namespaces = append(s.Namespaces, NewNamespace(object.Ref.Name, object.root().get("metadata", "labels").textMap()))
}

// NameLabel is the label that the API server puts on every namespace.
const NameLabel = "kubernetes.io/metadata.name"

// NewNamespace completes the labels with the one that is always there.
func NewNamespace(name string, labels map[string]string) Namespace {
	all := map[string]string{NameLabel: name}
	for key, value := range labels {
		all[key] = value
	}
	return Namespace{Name: name, Labels: all}
}

// Grant is a ReferenceGrant: from kinds and namespaces to Secrets of its own.
type Grant struct {
	Namespace string
	// From lists "group/Kind/namespace" of those that may refer.
	From map[string]bool
	// Secrets that may be referred to; empty is all.
	Secrets map[string]bool
}

func readGrant(s *Set, object Object, _ Options) {
	grant := Grant{Namespace: object.Ref.Namespace, From: map[string]bool{}, Secrets: map[string]bool{}}
	spec := object.root().get("spec")
	for _, from := range spec.get("from").items() {
		grant.From[from.get("group").text()+"/"+from.get("kind").text()+"/"+from.get("namespace").text()] = true
	}
	toSecrets := false
	for _, to := range spec.get("to").items() {
		if to.get("group").text() != "" || to.get("kind").text() != "Secret" {
			continue
		}
		toSecrets = true
		if name := to.get("name").text(); name != "" {
			grant.Secrets[name] = true
		}
	}
	if toSecrets {
		s.Grants = append(s.Grants, grant)
	}
}

// Admits says whether the grant lets an object refer to a Secret.
func (g Grant) Admits(from secretsv1.ObjectReference, namespace, secret string) bool {
	if g.Namespace != namespace || !g.From[groupOf(from.APIVersion)+"/"+from.Kind+"/"+from.Namespace] {
		return false
	}
	return len(g.Secrets) == 0 || g.Secrets[secret]
}
