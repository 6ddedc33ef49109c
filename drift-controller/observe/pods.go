// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Pods of a workload, and how many of them are older than a change: those
// still run on what they read before it.
type Pods struct{ Before, Total int }

var pods = Resource{
	Kind:       schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
	Path:       schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Namespaced: true,
}

// Pods counts the pods that a selector picks. A pod is older than the change
// if any of its containers started before it: variables are read when a
// container starts, also when it restarts.
func (c *Cluster) Pods(ctx context.Context, namespace string, selector labels.Selector, since time.Time) (Pods, error) {
	var count Pods
	o := metav1.ListOptions{LabelSelector: selector.String()}
	err := c.objects.list(ctx, pods, namespace, o, func(pod *unstructured.Unstructured) {
		count.Total++
		if startOf(pod).Before(since) {
			count.Before++
		}
	})
	if err != nil {
		return Pods{}, fmt.Errorf("pods of namespace %s: %w", namespace, err)
	}
	return count, nil
}

// startOf is the start of the container that has run the longest, or else the
// creation of the pod.
func startOf(pod *unstructured.Unstructured) time.Time {
	first := time.Time{}
	statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	for _, s := range statuses {
		status, _ := s.(map[string]any)
		text, _, _ := unstructured.NestedString(status, "state", "running", "startedAt")
		started, err := time.Parse(time.RFC3339, text)
		if err == nil && (first.IsZero() || started.Before(first)) {
			first = started
		}
	}
	if first.IsZero() {
		return pod.GetCreationTimestamp().Time
	}
	return first
}
