// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package marks

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// source is one kind of mark: where it stands and how it reads.
type source struct {
	words string
	name  func(obj metav1.Object) string
}

// sources in the order in which claims are listed.
var sources = []source{
	{"Helm release", annotation("meta.helm.sh/release-name")},
	{"Flux HelmRelease", label("helm.toolkit.fluxcd.io/name")},
	{"Flux Kustomization", label("kustomize.toolkit.fluxcd.io/name")},
	{"Argo CD application", argo},
	{"kapp application", label("kapp.k14s.io/app")},
	{"Fleet bundle", annotation("objectset.rio.cattle.io/id")},
	{"Config Sync package", annotation("configsync.gke.io/owning-inventory")},
	{"Kluctl deployment", annotation("kluctl.io/deployment-item-dir")},
}

func label(key string) func(metav1.Object) string {
	return func(obj metav1.Object) string { return obj.GetLabels()[key] }
}

func annotation(key string) func(metav1.Object) string {
	return func(obj metav1.Object) string { return obj.GetAnnotations()[key] }
}

// argo reads the tracking annotation, application:group/kind:namespace/name,
// or a label. The common label is a mark only where Argo CD has written to the
// object: charts set it as well.
func argo(obj metav1.Object) string {
	if id := obj.GetAnnotations()["argocd.argoproj.io/tracking-id"]; id != "" {
		name, _, _ := strings.Cut(id, ":")
		return name
	}
	if name := obj.GetLabels()["argocd.argoproj.io/instance"]; name != "" {
		return name
	}
	if slices.ContainsFunc(obj.GetManagedFields(), writtenByArgo) {
		return obj.GetLabels()["app.kubernetes.io/instance"]
	}
	return ""
}

func writtenByArgo(e metav1.ManagedFieldsEntry) bool { return strings.HasPrefix(e.Manager, "argocd") }

// Tracked lists the claims on an object.
func Tracked(obj metav1.Object) []string {
	var claims []string
	for _, s := range sources {
		if name := s.name(obj); name != "" {
			claims = append(claims, s.words+" "+name)
		}
	}
	return claims
}

// Release gives namespace and name of the Helm release that an object says it
// belongs to; empty if to none.
func Release(obj metav1.Object) (namespace, name string) {
	annotations := obj.GetAnnotations()
	name = annotations["meta.helm.sh/release-name"]
	if name == "" {
		return "", ""
	}
	namespace = annotations["meta.helm.sh/release-namespace"]
	if namespace == "" {
		namespace = obj.GetNamespace()
	}
	return namespace, name
}
