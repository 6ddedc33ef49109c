// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"net/http"
	"strings"
)

// converting reads a resource in another version: what v1alpha1 calls
// spec.colour is spec.style.color from v1 on.
func converting(w http.ResponseWriter, r *http.Request) {
	exchange(w, r, func(request map[string]any) map[string]any {
		version, _ := request["desiredAPIVersion"].(string)
		objects, _ := request["objects"].([]any)
		for _, o := range objects {
			if object, ok := o.(map[string]any); ok {
				convert(object, version)
			}
		}
		return map[string]any{"convertedObjects": objects, "result": map[string]any{"status": "Success"}}
	})
}

func convert(object map[string]any, version string) {
	if object["apiVersion"] == version {
		return
	}
	object["apiVersion"] = version
	spec, _ := object["spec"].(map[string]any)
	if spec == nil {
		return
	}
	if strings.HasSuffix(version, "/v1alpha1") {
		style, _ := spec["style"].(map[string]any)
		if color, ok := style["color"]; ok {
			spec["colour"] = color
		}
		delete(spec, "style")
		return
	}
	if colour, ok := spec["colour"]; ok {
		spec["style"] = map[string]any{"color": colour}
	}
	delete(spec, "colour")
}
