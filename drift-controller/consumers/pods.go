// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package consumers

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// templatePaths are where kinds keep their pod template.
var templatePaths = [][]string{
	{"spec", "template"},                        // Deployment, StatefulSet, DaemonSet, Job, Rollout
	{"spec", "jobTemplate", "spec", "template"}, // CronJob
	{"template"},                                // PodTemplate
}

func podSpec(o *unstructured.Unstructured) (spec map[string]any, labels map[string]string) {
	if o.GetKind() == "Pod" {
		spec, _ = field(o.Object, "spec").(map[string]any)
		return spec, o.GetLabels()
	}
	for _, path := range templatePaths {
		template, ok := field(o.Object, path...).(map[string]any)
		if !ok {
			continue
		}
		if spec, ok = template["spec"].(map[string]any); ok && spec["containers"] != nil {
			labels, _, _ = unstructured.NestedStringMap(template, "metadata", "labels")
			return spec, labels
		}
	}
	return nil, nil
}

// workload is a reader that runs pods.
type workload struct {
	reader Reader
	into   Index
}

func (w workload) add(kind, name, how string, fields ...string) {
	w.into.add(manifest.ID{Kind: kind, Namespace: w.reader.ID.Namespace, Name: name}, w.reader, how, fields...)
}

func (w workload) podSpec(spec map[string]any) {
	w.volumes(spec)
	w.containers(spec, "containers")
	w.containers(spec, "initContainers")
	for _, r := range maps(spec["imagePullSecrets"]) {
		w.add("Secret", text(r, "name"), "imagePullSecret")
	}
	w.add("ServiceAccount", text(spec, "serviceAccountName"), "serviceAccount")
}

func (w workload) volumes(spec map[string]any) {
	for _, v := range maps(spec["volumes"]) {
		w.source("volume", v, "secretName")
		w.add("PersistentVolumeClaim", text(v, "persistentVolumeClaim", "claimName"), "volume")
		w.add("Secret", text(v, "azureFile", "secretName"), "volume")
		w.add("Secret", text(v, "csi", "nodePublishSecretRef", "name"), "volume")
		for _, kind := range []string{"cephfs", "rbd", "flexVolume", "iscsi", "scaleIO", "storageos"} {
			w.add("Secret", text(v, kind, "secretRef", "name"), "volume")
		}
		for _, source := range maps(field(v, "projected", "sources")) {
			w.source("projected", source, "name")
		}
	}
}

// source is a volume or a projected source of files: all keys, or its items.
func (w workload) source(how string, v map[string]any, secretName string) {
	w.add("ConfigMap", text(v, "configMap", "name"), how, itemFields(field(v, "configMap", "items"))...)
	w.add("Secret", text(v, "secret", secretName), how, itemFields(field(v, "secret", "items"))...)
}

func itemFields(items any) []string {
	var fields []string
	for _, item := range maps(items) {
		fields = append(fields, keyFields(text(item, "key"))...)
	}
	return fields
}

// keyFields are where a key of a ConfigMap or Secret may stand.
func keyFields(key string) []string {
	if key == "" {
		return nil
	}
	return []string{
		keyedpath.Pointer(keyedpath.FieldPath("binaryData", key)),
		keyedpath.Pointer(keyedpath.FieldPath("data", key)),
		keyedpath.Pointer(keyedpath.FieldPath("stringData", key)),
	}
}

func (w workload) containers(spec map[string]any, list string) {
	for _, c := range maps(spec[list]) {
		for _, from := range maps(c["envFrom"]) {
			w.add("ConfigMap", text(from, "configMapRef", "name"), "envFrom")
			w.add("Secret", text(from, "secretRef", "name"), "envFrom")
		}
		for _, env := range maps(c["env"]) {
			w.variable(env, "ConfigMap", "configMapKeyRef")
			w.variable(env, "Secret", "secretKeyRef")
		}
		for _, arguments := range []any{c["command"], c["args"]} {
			w.arguments(arguments)
		}
	}
}

func (w workload) variable(env map[string]any, kind, ref string) {
	w.add(kind, text(env, "valueFrom", ref, "name"), "env", keyFields(text(env, "valueFrom", ref, "key"))...)
}

// inArgument is how controllers are told to watch a ConfigMap or Secret:
// --configmap=$(POD_NAMESPACE)/nginx, --tcp-services-configmap=infra/tcp.
var inArgument = regexp.MustCompile(`^--?([a-z0-9-]*config-?map|[a-z0-9-]*secret)(?:-name)?=(?:(\$\([A-Z_]+\)|[a-z0-9-]+)/)?([a-z0-9][a-z0-9.-]*)$`)

func (w workload) arguments(list any) {
	items, _ := list.([]any)
	for _, item := range items {
		argument, _ := item.(string)
		found := inArgument.FindStringSubmatch(argument)
		if found == nil {
			continue
		}
		id := manifest.ID{Kind: "ConfigMap", Namespace: w.reader.ID.Namespace, Name: found[3]}
		if strings.HasSuffix(found[1], "secret") {
			id.Kind = "Secret"
		}
		if found[2] != "" && !strings.HasPrefix(found[2], "$") {
			id.Namespace = found[2]
		}
		w.into.add(id, w.reader, "args")
	}
}

// annotations say what no field does: that a program reads an object through
// the API. The second pair is that of a widespread reloader, whose users have
// written it down already.
func (w workload) annotations(o *unstructured.Unstructured) {
	holders := []map[string]string{o.GetAnnotations()}
	for _, path := range templatePaths {
		found, _, _ := unstructured.NestedStringMap(o.Object, append(path[:len(path):len(path)], "metadata", "annotations")...)
		holders = append(holders, found)
	}
	for _, a := range holders {
		for item := range strings.SplitSeq(a[contract.ReadsAnnotation], ",") {
			kind, name, _ := strings.Cut(strings.TrimSpace(item), "/")
			w.add(kind, name, "annotation")
		}
		for kind, key := range map[string]string{
			"ConfigMap": "configmap.reloader.stakater.com/reload", "Secret": "secret.reloader.stakater.com/reload",
		} {
			for name := range strings.SplitSeq(a[key], ",") {
				w.add(kind, strings.TrimSpace(name), "annotation")
			}
		}
	}
}
