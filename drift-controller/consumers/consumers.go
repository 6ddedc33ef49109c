// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package consumers finds which declared workloads read which ConfigMap or
// Secret, and how.
//
// In: a desired set. Out: an index from the object that is read to its
// readers. It reads pod templates wherever a kind carries one, so that a
// custom workload with the usual shape is found too. It looks at declarations
// only, never at a cluster.
package consumers

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Reader is one workload that reads an object.
type Reader struct {
	ID       manifest.ID
	How      string            // env, envFrom, volume, projected, imagePullSecret
	Selector map[string]string // labels of its pods; empty if it declares none
}

// Index finds readers by the object that they read.
type Index map[manifest.ID][]Reader

// Find builds the index of a desired set.
func Find(objects []manifest.Object) Index {
	index := Index{}
	for _, o := range objects {
		spec, labels := podSpec(o.Unstructured)
		if spec == nil {
			continue
		}
		w := workload{reader: Reader{ID: o.ID(), Selector: labels}, into: index}
		w.volumes(spec)
		w.containers(spec, "containers")
		w.containers(spec, "initContainers")
		w.references(spec["imagePullSecrets"], "imagePullSecret", "Secret", "name")
	}
	for id, readers := range index {
		slices.SortFunc(readers, func(a, b Reader) int {
			return cmp.Or(a.ID.Compare(b.ID), cmp.Compare(a.How, b.How))
		})
		index[id] = slices.CompactFunc(readers, func(a, b Reader) bool { return a.ID == b.ID && a.How == b.How })
	}
	return index
}

// templatePaths are where kinds keep their pod template.
var templatePaths = [][]string{
	{"spec", "template"},                        // Deployment, StatefulSet, DaemonSet, Job, Rollout
	{"spec", "jobTemplate", "spec", "template"}, // CronJob
	{"template"},                                // PodTemplate
}

func podSpec(o *unstructured.Unstructured) (spec map[string]any, labels map[string]string) {
	if o.GetKind() == "Pod" {
		spec, _, _ = unstructured.NestedMap(o.Object, "spec")
		return spec, o.GetLabels()
	}
	for _, path := range templatePaths {
		template, ok, _ := unstructured.NestedMap(o.Object, path...)
		if !ok {
			continue
		}
		if spec, ok, _ = unstructured.NestedMap(template, "spec"); ok && spec["containers"] != nil {
			labels, _, _ = unstructured.NestedStringMap(template, "metadata", "labels")
			return spec, labels
		}
	}
	return nil, nil
}

type workload struct {
	reader Reader
	into   Index
}

func (w workload) add(kind, name, how string) {
	if name == "" {
		return
	}
	r := w.reader
	r.How = how
	id := manifest.ID{Kind: kind, Namespace: r.ID.Namespace, Name: name}
	w.into[id] = append(w.into[id], r)
}

func (w workload) volumes(spec map[string]any) {
	for _, v := range maps(spec["volumes"]) {
		w.add("ConfigMap", text(v, "configMap", "name"), "volume")
		w.add("Secret", text(v, "secret", "secretName"), "volume")
		for _, source := range maps(field(v, "projected", "sources")) {
			w.add("ConfigMap", text(source, "configMap", "name"), "projected")
			w.add("Secret", text(source, "secret", "name"), "projected")
		}
	}
}

func (w workload) containers(spec map[string]any, list string) {
	for _, c := range maps(spec[list]) {
		for _, from := range maps(c["envFrom"]) {
			w.add("ConfigMap", text(from, "configMapRef", "name"), "envFrom")
			w.add("Secret", text(from, "secretRef", "name"), "envFrom")
		}
		for _, env := range maps(c["env"]) {
			w.add("ConfigMap", text(env, "valueFrom", "configMapKeyRef", "name"), "env")
			w.add("Secret", text(env, "valueFrom", "secretKeyRef", "name"), "env")
		}
	}
}

func (w workload) references(list any, how, kind, name string) {
	for _, r := range maps(list) {
		w.add(kind, text(r, name), how)
	}
}

func maps(list any) []map[string]any {
	items, _ := list.([]any)
	found := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

func field(m map[string]any, path ...string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(m, path...)
	return v
}

func text(m map[string]any, path ...string) string {
	s, _ := field(m, path...).(string)
	return s
}
