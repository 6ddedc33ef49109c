// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package consumers_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func find(t *testing.T, text string) consumers.Index {
	t.Helper()
	objects, err := manifest.Decode("app.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return consumers.Find(objects)
}

// lines writes an index as "Kind name: reader (how)".
func lines(index consumers.Index) map[string][]string {
	out := map[string][]string{}
	for id, readers := range index {
		for _, r := range readers {
			out[id.String()] = append(out[id.String()], fmt.Sprintf("%s (%s)", r.ID, r.How))
		}
	}
	return out
}

// pod is a pod's spec in flow style, for one container.
func pod(container, rest string) string {
	if rest != "" {
		rest = ", " + rest
	}
	return "{containers: [{name: c, image: i, " + container + "}]" + rest + "}"
}

func workload(kind, spec string) string {
	version := map[string]string{"Pod": "v1", "PodTemplate": "v1", "CronJob": "batch/v1", "Job": "batch/v1", "Rollout": "argoproj.io/v1alpha1"}[kind]
	if version == "" {
		version = "apps/v1"
	}
	template := map[string]string{
		"Pod":         "spec: " + spec,
		"PodTemplate": "template: {metadata: {labels: {app: x}}, spec: " + spec + "}",
		"CronJob":     "spec: {jobTemplate: {spec: {template: {metadata: {labels: {app: x}}, spec: " + spec + "}}}}",
	}[kind]
	if template == "" {
		template = "spec: {template: {metadata: {labels: {app: x}}, spec: " + spec + "}}"
	}
	return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: w, namespace: shop, labels: {app: x}}\n" + template + "\n"
}

func TestHow(t *testing.T) {
	const configMap, secret = "ConfigMap shop/a", "Secret shop/a"
	cases := map[string]struct {
		reason string
		spec   string
		want   map[string][]string
	}{
		"envFrom":            {"every key of it", pod("envFrom: [{configMapRef: {name: a}}]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (envFrom)"}}},
		"envFrom Secret":     {"every key of it", pod("envFrom: [{secretRef: {name: a}}]", ""), map[string][]string{secret: {"Deployment.apps shop/w (envFrom)"}}},
		"env":                {"one key", pod("env: [{name: X, valueFrom: {configMapKeyRef: {name: a, key: k}}}]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (env)"}}},
		"env Secret":         {"one key", pod("env: [{name: X, valueFrom: {secretKeyRef: {name: a, key: k}}}]", ""), map[string][]string{secret: {"Deployment.apps shop/w (env)"}}},
		"plain variable":     {"no object is read", pod("env: [{name: X, value: a}]", ""), map[string][]string{}},
		"volume":             {"as files", pod("x: y", "volumes: [{name: v, configMap: {name: a}}]"), map[string][]string{configMap: {"Deployment.apps shop/w (volume)"}}},
		"volume of a Secret": {"the field has another name there", pod("x: y", "volumes: [{name: v, secret: {secretName: a}}]"), map[string][]string{secret: {"Deployment.apps shop/w (volume)"}}},
		"projected":          {"several in one volume", pod("x: y", "volumes: [{name: v, projected: {sources: [{configMap: {name: a}}, {secret: {name: a}}]}}]"), map[string][]string{configMap: {"Deployment.apps shop/w (projected)"}, secret: {"Deployment.apps shop/w (projected)"}}},
		"pull secret":        {"to fetch the image", pod("x: y", "imagePullSecrets: [{name: a}]"), map[string][]string{secret: {"Deployment.apps shop/w (imagePullSecret)"}}},
		"init container":     {"it reads before the others", pod("x: y", "initContainers: [{name: i, envFrom: [{configMapRef: {name: a}}]}]"), map[string][]string{configMap: {"Deployment.apps shop/w (envFrom)"}}},
		"twice":              {"one line for each way", pod("envFrom: [{configMapRef: {name: a}}], env: [{name: X, valueFrom: {configMapKeyRef: {name: a, key: k}}}, {name: Y, valueFrom: {configMapKeyRef: {name: a, key: l}}}]", ""), map[string][]string{configMap: {"Deployment.apps shop/w (env)", "Deployment.apps shop/w (envFrom)"}}},
		"no name":            {"what names nothing reads nothing", pod("envFrom: [{configMapRef: {optional: true}}]", "volumes: [{name: v, emptyDir: {}}]"), map[string][]string{}},
		"malformed":          {"the server refuses it; it must not end the run", "{containers: [{envFrom: 5, env: [x], name: c}], volumes: {a: b}}", map[string][]string{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, lines(find(t, workload("Deployment", tc.spec)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKinds: wherever a kind keeps its pod template.
func TestKinds(t *testing.T) {
	spec := pod("envFrom: [{configMapRef: {name: a}}]", "")
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "PodTemplate", "Rollout"} {
		index := find(t, workload(kind, spec))
		readers := index[manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}]
		if len(readers) != 1 || readers[0].ID.Kind != kind {
			t.Errorf("%s: want one reader, got %v", kind, readers)
			continue
		}
		if diff := cmp.Diff(map[string]string{"app": "x"}, readers[0].Selector); diff != "" {
			t.Errorf("%s: labels of its pods (-want +got):\n%s", kind, diff)
		}
	}
	for _, text := range []string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w, namespace: shop}\ndata: {template: x}\n",
		"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: w, namespace: shop}\nspec: {template: {spec: {data: {a: b}}}}\n",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w, namespace: shop}\nspec: x\n",
	} {
		if index := find(t, text); len(index) != 0 {
			t.Errorf("no pod, and yet a reader: %v", lines(index))
		}
	}
}

// TestReadersAreOrdered: a report that names them must not change by itself.
func TestReadersAreOrdered(t *testing.T) {
	spec := pod("envFrom: [{configMapRef: {name: a}}]", "")
	text := workload("StatefulSet", spec) + "---\n" + workload("CronJob", spec) + "---\n" + workload("Deployment", spec)
	want := map[string][]string{"ConfigMap shop/a": {"Deployment.apps shop/w (envFrom)", "StatefulSet.apps shop/w (envFrom)", "CronJob.batch shop/w (envFrom)"}}
	if diff := cmp.Diff(want, lines(find(t, text))); diff != "" {
		t.Errorf("by identity (-want +got):\n%s", diff)
	}
}
