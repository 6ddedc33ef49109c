// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sift

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// groups whose objects nobody declares.
var groups = map[string]string{
	"events.k8s.io":                 "records of what happened",
	"coordination.k8s.io":           "leases of running programs",
	"discovery.k8s.io":              "made for Services",
	"metrics.k8s.io":                "computed when asked for",
	"custom.metrics.k8s.io":         "computed when asked for",
	"external.metrics.k8s.io":       "computed when asked for",
	"packages.operators.coreos.com": "computed when asked for",
	"drift.holdfast.dev":            "our own records and requests",
	"secrets.holdfast.dev":          "our own records and requests",
	"source.toolkit.fluxcd.io":      "where applications come from",
	"wgpolicyk8s.io":                "reports of a scanner",
	"reports.kyverno.io":            "reports of a scanner",
	"aquasecurity.github.io":        "reports of a scanner",
}

// kinds of groups that hold others too.
var kinds = map[schema.GroupKind]string{
	{Kind: "Event"}:     "a record of what happened",
	{Kind: "Endpoints"}: "made for a Service",
	{Group: "apps", Kind: "ControllerRevision"}:  "the history of a workload",
	{Group: "cilium.io", Kind: "CiliumEndpoint"}: "made for a Pod",
}

// rule is one reason why an object is not forgotten.
type rule struct {
	reason string
	fits   func(kind schema.GroupKind, obj metav1.Object) bool
}

var rules = []rule{
	{"it has an owner, and goes with it", func(_ schema.GroupKind, obj metav1.Object) bool {
		return len(obj.GetOwnerReferences()) > 0
	}},
	{"made in every namespace", func(kind schema.GroupKind, obj metav1.Object) bool {
		return everywhere[kind.String()+" "+obj.GetName()]
	}},
	{"made by the API server", func(kind schema.GroupKind, obj metav1.Object) bool {
		return obj.GetLabels()["kubernetes.io/bootstrapping"] != "" ||
			kind.Kind == "Service" && obj.GetNamespace() == metav1.NamespaceDefault && obj.GetName() == "kubernetes"
	}},
	{"the token of a ServiceAccount", func(kind schema.GroupKind, obj metav1.Object) bool {
		return kind == secretKind && obj.GetAnnotations()["kubernetes.io/service-account.name"] != ""
	}},
	{"Helm's record of a release", func(kind schema.GroupKind, obj metav1.Object) bool {
		return (kind == secretKind || kind.Kind == "ConfigMap") && obj.GetLabels()["owner"] == "helm" &&
			(obj.GetLabels()["status"] != "" || strings.HasPrefix(obj.GetName(), "sh.helm.release."))
	}},
	{"the lock of a leader election", func(_ schema.GroupKind, obj metav1.Object) bool {
		return obj.GetAnnotations()["control-plane.alpha.kubernetes.io/leader"] != ""
	}},
	{"made from a declaration of the External Secrets Operator", func(kind schema.GroupKind, obj metav1.Object) bool {
		return kind == secretKind && (obj.GetLabels()["reconcile.external-secrets.io/managed"] != "" ||
			obj.GetAnnotations()["reconcile.external-secrets.io/data-hash"] != "")
	}},
	{"made from a declaration of cert-manager", func(kind schema.GroupKind, obj metav1.Object) bool {
		return kind == secretKind && (obj.GetAnnotations()["cert-manager.io/certificate-name"] != "" ||
			obj.GetLabels()["controller.cert-manager.io/fao"] != "")
	}},
	{"made from a declaration of the Vault Secrets Operator", func(kind schema.GroupKind, obj metav1.Object) bool {
		return kind == secretKind && obj.GetLabels()["app.kubernetes.io/managed-by"] == "hashicorp-vso"
	}},
	{"made by the control plane", func(kind schema.GroupKind, obj metav1.Object) bool {
		// A claim of a StatefulSet outlives it on purpose, and then somebody
		// has to know: Claims decides about those.
		return kind.Kind != "PersistentVolumeClaim" && onlySystem(obj)
	}},
}

var secretKind = schema.GroupKind{Kind: "Secret"}

// everywhere are objects that a controller makes in each namespace.
var everywhere = map[string]bool{
	"ConfigMap kube-root-ca.crt":                                   true,
	"ConfigMap openshift-service-ca.crt":                           true,
	"ConfigMap istio-ca-root-cert":                                 true,
	"ConfigMap linkerd-identity-trust-roots":                       true,
	"ServiceAccount default":                                       true,
	"ServiceAccount builder":                                       true,
	"ServiceAccount deployer":                                      true,
	"RoleBinding.rbac.authorization.k8s.io system:image-pullers":   true,
	"RoleBinding.rbac.authorization.k8s.io system:image-builders":  true,
	"RoleBinding.rbac.authorization.k8s.io system:deployers":       true,
	"RoleBinding.authorization.openshift.io system:image-pullers":  true,
	"RoleBinding.authorization.openshift.io system:image-builders": true,
	"RoleBinding.authorization.openshift.io system:deployers":      true,
}

// system are the field managers of the control plane.
var system = map[string]bool{
	"kube-controller-manager": true, "kube-apiserver": true, "kube-scheduler": true,
	"cloud-controller-manager": true, "kubelet": true, "k3s": true, "rke2": true,
}

func onlySystem(obj metav1.Object) bool {
	for _, entry := range obj.GetManagedFields() {
		if !system[entry.Manager] {
			return false
		}
	}
	return len(obj.GetManagedFields()) > 0
}
