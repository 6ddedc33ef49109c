// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "strings"

// Meta is what rules look at in the metadata of an object.
type Meta struct {
	Labels map[string]string
	// Annotations by key. Only those of tools keep their text: any other may
	// hold what does not belong there.
	Annotations map[string]string
	Finalizers  []string
}

// toolAnnotations are prefixes of annotations whose text rules read.
var toolAnnotations = []string{
	"argocd.argoproj.io/", "helm.sh/", "kustomize.toolkit.fluxcd.io/", "sealedsecrets.bitnami.com/",
	"cert-manager.io/", "certmanager.k8s.io/", "reloader.stakater.com/", "secret.reloader.stakater.com/",
	"holdfast.dev/", "kubernetes.io/service-account.name", "nginx.ingress.kubernetes.io/auth-",
}

func readMeta(object Object) Meta {
	meta := object.root().get("metadata")
	out := Meta{Labels: meta.get("labels").textMap(), Finalizers: meta.get("finalizers").texts()}
	annotations := meta.get("annotations").textMap()
	if annotations == nil {
		return out
	}
	out.Annotations = make(map[string]string, len(annotations))
	for key, text := range annotations {
		if !isTools(key) {
			text = ""
		}
		out.Annotations[key] = text
	}
	return out
}

func isTools(annotation string) bool {
	for _, prefix := range toolAnnotations {
		if strings.HasPrefix(annotation, prefix) {
			return true
		}
	}
	return false
}

// Has says whether the object bears an annotation, whatever its text.
func (m Meta) Has(annotation string) bool {
	_, has := m.Annotations[annotation]
	return has
}
