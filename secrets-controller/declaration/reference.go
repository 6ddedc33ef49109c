// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Use is how a Secret is consumed.
type Use string

// The uses.
const (
	UseEnv                Use = "env"
	UseEnvFrom            Use = "envFrom"
	UseVolume             Use = "volume"
	UseImagePull          Use = "imagePullSecrets"
	UseServiceAccountPull Use = "imagePullSecrets of a ServiceAccount"
	UseIngressTLS         Use = "ingress TLS"
	UseGatewayTLS         Use = "gateway TLS"
	UseIngressAuth        Use = "authentication of an Ingress"
	UseFlux               Use = "a field of Flux"
	UseDecryption         Use = "decryption"
	UseField              Use = "a field of a custom resource"
	UseTemplate           Use = "a template"
)

// Reference is one consumed Secret, or one consumed key of it.
type Reference struct {
	By        secretsv1.ObjectReference
	Use       Use
	Namespace string
	Secret    string
	// SecretAt points to the field that names the Secret.
	SecretAt Pointer
	// Key is empty where the Secret is consumed as a whole.
	Key      string
	KeyAt    Pointer
	Optional bool
	// Container that reads it, for env and envFrom.
	Container string
	// ContainerAt points to the entry of env or envFrom, Prefix is put before
	// the names that envFrom makes.
	EntryAt Pointer
	Prefix  string
	// SubPath: the volume is mounted by it, and never updated.
	SubPath bool
	// Legacy annotation that asks a removed cert-manager API for the Secret.
	Legacy string
}

func readServiceAccount(s *Set, object Object, _ Options) {
	for _, pull := range object.root().get("imagePullSecrets").items() {
		s.refer(Reference{
			By: object.Ref, Use: UseServiceAccountPull, Namespace: object.Ref.Namespace,
			Secret: pull.get("name").text(), SecretAt: pull.get("name").at,
		})
	}
}

// refer adds a reference; one without a name refers to nothing.
func (s *Set) refer(ref Reference) {
	if ref.Secret != "" {
		s.References = append(s.References, ref)
	}
}

// readAuth follows the annotations of ingress-nginx that name a Secret.
func readAuth(s *Set, object Object) {
	annotations := object.root().get("metadata", "annotations")
	for _, name := range []string{"auth-secret", "auth-tls-secret", "proxy-ssl-secret"} {
		named := annotations.get("nginx.ingress.kubernetes.io/" + name)
		if named.text() == "" {
			continue
		}
		namespace, secret, qualified := strings.Cut(named.text(), "/")
		if !qualified {
			namespace, secret = object.Ref.Namespace, named.text()
		}
		s.refer(Reference{By: object.Ref, Use: UseIngressAuth, Namespace: namespace, Secret: secret, SecretAt: named.at})
	}
}

func readIngress(s *Set, object Object, _ Options) {
	readAuth(s, object)
	byShim := shimmed(object)
	for _, tls := range object.root().get("spec", "tls").items() {
		// An entry without a name uses the default of the ingress controller.
		secret := tls.get("secretName")
		if secret.text() == "" {
			continue
		}
		s.refer(Reference{
			By: object.Ref, Use: UseIngressTLS, Namespace: object.Ref.Namespace,
			Secret: secret.text(), SecretAt: secret.at, Legacy: legacyAnnotation(object),
		})
		if byShim {
			s.implied = append(s.implied, impliedCertificate(object, object.Ref.Namespace, secret.text()))
		}
	}
}

func readGateway(s *Set, object Object, _ Options) {
	byShim := shimmed(object)
	for _, listener := range object.root().get("spec", "listeners").items() {
		for _, ref := range listener.get("tls", "certificateRefs").items() {
			if ref.get("kind").textOr("Secret") != "Secret" || ref.get("group").text() != "" {
				continue
			}
			name, namespace := ref.get("name"), ref.get("namespace").textOr(object.Ref.Namespace)
			s.refer(Reference{
				By: object.Ref, Use: UseGatewayTLS, Namespace: namespace,
				Secret: name.text(), SecretAt: name.at, Legacy: legacyAnnotation(object),
			})
			if byShim && namespace == object.Ref.Namespace {
				s.implied = append(s.implied, impliedCertificate(object, namespace, name.text()))
			}
		}
	}
}
