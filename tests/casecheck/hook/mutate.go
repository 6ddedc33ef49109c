// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mutations by path. Each leaves an object alone that has what it injects.
var mutations = map[string]func(map[string]any){
	// an annotation, as validators leave one
	"/annotate": func(o map[string]any) { set(o, "passed", "metadata", "annotations", "webhook.example.com/checked") },
	// a sidecar with its volume, as service meshes inject one
	"/sidecar": sidecar,
	// images from the company's own registry
	"/registry": registry,
	// defaults of a kind that has none in its schema
	"/defaults": func(o map[string]any) {
		set(o, "standard", "spec", "class")
		set(o, int64(3), "spec", "retries")
	},
}

func mutating(inject func(map[string]any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		exchange(w, r, func(request map[string]any) map[string]any {
			object, isObject := request["object"].(map[string]any)
			if !isObject {
				return map[string]any{"allowed": true} // a deletion
			}
			changed := (&unstructured.Unstructured{Object: object}).DeepCopy().Object
			inject(changed)
			patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "", "value": changed}})
			if err != nil {
				return map[string]any{"allowed": false}
			}
			return map[string]any{
				"allowed": true, "patchType": "JSONPatch", "patch": base64.StdEncoding.EncodeToString(patch),
			}
		})
	}
}

// set sets what is not there.
func set(o map[string]any, value any, path ...string) {
	if _, there, err := unstructured.NestedFieldNoCopy(o, path...); there || err != nil {
		return
	}
	if unstructured.SetNestedField(o, value, path...) != nil {
		return // what is in its way is the object's own fault
	}
}

// podSpec of a Pod, or of the template of a workload.
func podSpec(o map[string]any) map[string]any {
	spec, _ := o["spec"].(map[string]any)
	if template, ok := spec["template"].(map[string]any); ok {
		spec, _ = template["spec"].(map[string]any)
	}
	return spec
}

func sidecar(o map[string]any) {
	spec := podSpec(o)
	containers, _ := spec["containers"].([]any)
	if spec == nil || slices.ContainsFunc(containers, named("mesh-proxy")) {
		return
	}
	volumes, _ := spec["volumes"].([]any)
	spec["containers"] = append(containers, map[string]any{
		"name": "mesh-proxy", "image": "registry.example.com/mesh/proxy:2.1",
		"volumeMounts": []any{map[string]any{"name": "mesh", "mountPath": "/mesh"}},
	})
	spec["volumes"] = append(volumes, map[string]any{"name": "mesh", "emptyDir": map[string]any{}})
}

func named(name string) func(any) bool {
	return func(item any) bool {
		fields, _ := item.(map[string]any)
		return fields["name"] == name
	}
}

func registry(o map[string]any) {
	containers, _ := podSpec(o)["containers"].([]any)
	for _, c := range containers {
		container, _ := c.(map[string]any)
		if image, ok := container["image"].(string); ok {
			container["image"] = strings.Replace(image, "docker.io/", "mirror.example.com/", 1)
		}
	}
}
