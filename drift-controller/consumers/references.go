// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// references are those of an object that runs no pods.
type references struct {
	from   *unstructured.Unstructured
	reader Reader
	into   Index
}

func (r references) find() {
	switch r.from.GetKind() {
	case "HorizontalPodAutoscaler", "ScaledObject", "VerticalPodAutoscaler":
		r.scaled()
	case "Ingress":
		r.ingress()
	case "HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute":
		r.route()
	case "Gateway":
		r.gateway()
	case "ServiceAccount":
		for _, s := range maps(r.from.Object["imagePullSecrets"]) {
			r.add("", "Secret", text(s, "name"), "imagePullSecret")
		}
		for _, s := range maps(r.from.Object["secrets"]) {
			r.add("", "Secret", text(s, "name"), "serviceAccount")
		}
	case "RoleBinding", "ClusterRoleBinding":
		r.binding()
	case "StatefulSet":
		r.add("", "Service", text(r.from.Object, "spec", "serviceName"), "serviceName")
	}
}

func (r references) add(group, kind, name, how string, fields ...string) {
	r.into.add(manifest.ID{Group: group, Kind: kind, Namespace: r.reader.ID.Namespace, Name: name}, r.reader, how, fields...)
}

// scaled: an autoscaler stands on the replicas of its target.
func (r references) scaled() {
	for _, name := range []string{"scaleTargetRef", "targetRef"} {
		target, _ := field(r.from.Object, "spec", name).(map[string]any)
		group, _, grouped := strings.Cut(text(target, "apiVersion"), "/")
		kind := text(target, "kind")
		switch {
		case kind == "":
			group, kind = "apps", "Deployment" // KEDA's default
		case !grouped:
			group = ""
		}
		r.add(group, kind, text(target, "name"), name, "/spec/replicas")
	}
}

func (r references) ingress() {
	spec, _ := r.from.Object["spec"].(map[string]any)
	backends := []any{field(spec, "defaultBackend")}
	for _, rule := range maps(spec["rules"]) {
		for _, path := range maps(field(rule, "http", "paths")) {
			backends = append(backends, path["backend"])
		}
	}
	for _, b := range backends {
		backend, _ := b.(map[string]any)
		r.add("", "Service", text(backend, "service", "name"), "backend", servicePorts...)
	}
	for _, tls := range maps(spec["tls"]) {
		r.add("", "Secret", text(tls, "secretName"), "tls")
	}
}

// servicePorts are what a backend needs of a Service.
var servicePorts = []string{"/spec/ports", "/spec/selector", "/spec/type", "/spec/externalName"}

func (r references) route() {
	for _, rule := range maps(field(r.from.Object, "spec", "rules")) {
		for _, b := range maps(rule["backendRefs"]) {
			if kind := text(b, "kind"); kind == "" || kind == "Service" {
				r.elsewhere(b, "Service", "backend", servicePorts...)
			}
		}
	}
	for _, p := range maps(field(r.from.Object, "spec", "parentRefs")) {
		if kind := text(p, "kind"); kind == "" || kind == "Gateway" {
			id := manifest.ID{Group: "gateway.networking.k8s.io", Kind: "Gateway", Namespace: r.namespaceOf(p), Name: text(p, "name")}
			r.into.add(id, r.reader, "parentRef", "/spec/listeners")
		}
	}
}

func (r references) gateway() {
	for _, l := range maps(field(r.from.Object, "spec", "listeners")) {
		for _, c := range maps(field(l, "tls", "certificateRefs")) {
			r.elsewhere(c, "Secret", "tls")
		}
	}
}

// elsewhere is a reference that may name a namespace.
func (r references) elsewhere(ref map[string]any, kind, how string, fields ...string) {
	r.into.add(manifest.ID{Kind: kind, Namespace: r.namespaceOf(ref), Name: text(ref, "name")}, r.reader, how, fields...)
}

func (r references) namespaceOf(ref map[string]any) string {
	if namespace := text(ref, "namespace"); namespace != "" {
		return namespace
	}
	return r.reader.ID.Namespace
}

func (r references) binding() {
	for _, s := range maps(r.from.Object["subjects"]) {
		if text(s, "kind") == "ServiceAccount" {
			r.elsewhere(s, "ServiceAccount", "subject")
		}
	}
	id := manifest.ID{Group: "rbac.authorization.k8s.io", Kind: text(r.from.Object, "roleRef", "kind"), Name: text(r.from.Object, "roleRef", "name")}
	if id.Kind == "Role" {
		id.Namespace = r.reader.ID.Namespace
	}
	r.into.add(id, r.reader, "roleRef", "/rules")
}

// selects notes who finds a workload by the labels of its pods.
func (x Index) selects(o *unstructured.Unstructured, r Reader, workloads []Reader) {
	path := []string{"spec", "selector"}
	switch o.GetKind() {
	case "Service":
	case "PodDisruptionBudget":
		path = append(path, "matchLabels")
	case "NetworkPolicy":
		path = []string{"spec", "podSelector", "matchLabels"}
	default:
		return
	}
	selector, _, _ := unstructured.NestedStringMap(o.Object, path...)
	if len(selector) == 0 {
		return
	}
	for _, w := range workloads {
		if w.ID.Namespace == r.ID.Namespace && matches(selector, w.Selector) {
			x.add(w.ID, r, "selector", labelsOf(w.ID.Kind))
		}
	}
}

func matches(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return true
}

// labelsOf is where a kind keeps the labels of its pods.
func labelsOf(kind string) string {
	switch kind {
	case "Pod":
		return "/metadata/labels"
	case "CronJob":
		return "/spec/jobTemplate/spec/template/metadata/labels"
	case "PodTemplate":
		return "/template/metadata/labels"
	default:
		return "/spec/template/metadata/labels"
	}
}
