// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pods = Resource{
	Kind:       schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
	Path:       schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Namespaced: true,
}

// PodStarts tells when the running pods that a selector picks started, the
// earliest first: what a pod reads at its start it keeps until the next one.
// Pods that have ended run on nothing.
func (c *Cluster) PodStarts(ctx context.Context, namespace string, selector labels.Selector) ([]time.Time, error) {
	starts := []time.Time{}
	o := metav1.ListOptions{LabelSelector: selector.String()}
	err := c.objects.list(ctx, pods, namespace, o, func(pod *unstructured.Unstructured) {
		if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase != "Succeeded" && phase != "Failed" {
			starts = append(starts, startOf(pod))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("pods of namespace %s: %w", namespace, err)
	}
	slices.SortFunc(starts, time.Time.Compare)
	return starts, nil
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
