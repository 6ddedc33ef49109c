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
	PushSecrets            []PushSecret
	ConfigMaps             []ConfigMap
	// Deployers are objects of Flux and Argo CD that apply others.
	Deployers  []Deployer
	ValuesFrom []ValuesFrom
	Variables  []Variable
	// Operators are releases of the External Secrets Operator.
	Operators []Operator
	// Definitions are CustomResourceDefinitions, by group and kind.
	Definitions map[string]secretsv1.ObjectReference
	// Open are values outside Secrets that look like secrets.
	Open []Open
	// Metas of all objects, known kinds or not.
	Metas map[secretsv1.ObjectReference]Meta
	// Repeated are objects that give a key twice.
	Repeated []Object
	// Shaped are objects whose form a schema decides.
	Shaped []Object
	// References are the consumed Secrets, and keys of Secrets.
	References []Reference
	// Reloaded are workloads whose pod template restarts them on a change.
	Reloaded map[secretsv1.ObjectReference]bool
	// ConfigMapUses are ConfigMaps that workloads read.
	ConfigMapUses []Reference
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
	// Chart: a Helm chart rendered the stream, whatever its labels say.
	Chart bool
}

// Read builds the model. Kinds that have nothing to say about secrets are
// passed over.
func Read(objects []Object, options Options) Set {
	set := Set{
		generators: map[string]Keys{}, Metas: map[secretsv1.ObjectReference]Meta{},
		Definitions: map[string]secretsv1.ObjectReference{}, Reloaded: map[secretsv1.ObjectReference]bool{},
	}
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
	"external-secrets.io/ExternalSecret":            readExternalSecret,
	"external-secrets.io/ClusterExternalSecret":     readClusterExternalSecret,
	"external-secrets.io/SecretStore":               readDeclaredStore,
	"external-secrets.io/ClusterSecretStore":        readDeclaredStore,
	"external-secrets.io/PushSecret":                readPushSecret,
	"bitnami.com/SealedSecret":                      readSealedSecret,
	"cert-manager.io/Certificate":                   readCertificate,
	"cert-manager.io/Issuer":                        readIssuer,
	"/Secret":                                       readSecret,
	"/Namespace":                                    readNamespace,
	"/ServiceAccount":                               readServiceAccount,
	"networking.k8s.io/Ingress":                     readIngress,
	"extensions/Ingress":                            readIngress,
	"gateway.networking.k8s.io/Gateway":             readGateway,
	"gateway.networking.k8s.io/ReferenceGrant":      readGrant,
	"/ConfigMap":                                    readConfigMap,
	"apiextensions.k8s.io/CustomResourceDefinition": readDefinition,
	"kustomize.toolkit.fluxcd.io/Kustomization":     readKustomization,
	"helm.toolkit.fluxcd.io/HelmRelease":            readRelease,
	"argoproj.io/Application":                       readArgoApplication,
	"source.toolkit.fluxcd.io/GitRepository":        readFluxSource,
	"source.toolkit.fluxcd.io/HelmRepository":       readFluxSource,
	"source.toolkit.fluxcd.io/OCIRepository":        readFluxSource,
}

// clusterScoped are the kinds among the readers that have no namespace.
var clusterScoped = map[string]bool{
	"external-secrets.io/ClusterExternalSecret":                   true,
	"external-secrets.io/ClusterSecretStore":                      true,
	"external-secrets.io/ClusterPushSecret":                       true,
	"generators.external-secrets.io/ClusterGenerator":             true,
	"cert-manager.io/ClusterIssuer":                               true,
	"/Namespace":                                                  true,
	"/PersistentVolume":                                           true,
	"apiextensions.k8s.io/CustomResourceDefinition":               true,
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration": true,
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":   true,
	"rbac.authorization.k8s.io/ClusterRole":                       true,
	"rbac.authorization.k8s.io/ClusterRoleBinding":                true,
}

func (s *Set) read(object Object, options Options) {
	id := object.group() + "/" + object.Ref.Kind
	switch {
	case clusterScoped[id]:
		// Cluster-scoped kinds ignore a namespace that somebody wrote down.
		object.Misplaced, object.Ref.Namespace = object.Ref.Namespace != "", ""
	case object.Ref.Namespace == "":
		object.Ref.Namespace = options.Namespace
	}
	s.Metas[object.Ref] = readMeta(object)
	if object.Repeats {
		s.Repeated = append(s.Repeated, object)
	}
	if isShaped(object) {
		s.Shaped = append(s.Shaped, object)
	}
	readVariables(s, object)
	readOpen(s, object, options)
	if _, listed := customConsumers[id]; listed {
		readCustom(s, object, options)
	}
	if read := readerOf(id, object); read != nil {
		read(s, object, options)
	}
}

func readerOf(id string, object Object) reader {
	if read, known := readers[id]; known {
		return read
	}
	switch {
	case podTemplates[id] != nil:
		return readWorkload
	case object.group() == generatorGroup:
		return readGenerator
	}
	return nil
}

// isShaped: the kinds of the External Secrets Operator, whose schemas differ
// from release to release.
func isShaped(object Object) bool {
	return object.group() == "external-secrets.io" || object.group() == generatorGroup
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
