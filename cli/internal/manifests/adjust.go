// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// adjust puts the options into one object.
func (o Options) adjust(u *unstructured.Unstructured) error {
	if u.GetKind() != "Deployment" {
		return nil
	}
	pod, _, err := unstructured.NestedMap(u.Object, "spec", "template", "spec")
	if err != nil {
		return fmt.Errorf("the embedded Deployment %s: %w", u.GetName(), err)
	}
	if o.ImagePullSecret != "" {
		pod["imagePullSecrets"] = []any{map[string]any{"name": o.ImagePullSecret}}
	}
	if len(o.TolerationKeys) > 0 {
		var all []any
		for _, key := range o.TolerationKeys {
			all = append(all, map[string]any{"key": key, "operator": "Exists"})
		}
		pod["tolerations"] = all
	}
	containers, _ := pod["containers"].([]any)
	for _, c := range containers {
		if container, ok := c.(map[string]any); ok {
			if err := o.container(u.GetName(), container); err != nil {
				return err
			}
		}
	}
	return unstructured.SetNestedMap(u.Object, pod, "spec", "template", "spec")
}

func (o Options) container(name string, c map[string]any) error {
	image, _ := c["image"].(string)
	repository, tag, _ := strings.Cut(strings.TrimPrefix(image, DefaultRegistry+"/"), ":")
	if o.Tag != "" {
		tag = o.Tag
	}
	c["image"] = strings.TrimSuffix(o.Registry, "/") + "/" + repository + ":" + tag
	args, _ := c["args"].([]any)
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = strings.ReplaceAll(text, ".svc.cluster.local.", ".svc."+strings.Trim(o.ClusterDomain, ".")+".")
		}
	}
	if o.EventsAddr != "" {
		args = append(args, "--events-addr="+o.EventsAddr)
	}
	c["args"] = args
	limit, ok := o.Memory[name]
	if !ok {
		return nil
	}
	if _, err := resource.ParseQuantity(limit); err != nil {
		return fmt.Errorf("--memory %s=%s: %w", name, limit, err)
	}
	return unstructured.SetNestedField(c, limit, "resources", "limits", "memory")
}
