// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/hook"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// posters is a kind in two versions with a webhook between them.
const posters = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: posters.conversion.example.com}
spec:
  group: conversion.example.com
  scope: Namespaced
  names: {kind: Poster, plural: posters}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://webhook.example.com/convert"}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}, style: {type: object, properties: {color: {type: string}}}}}}}}
  - name: v1alpha1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}, colour: {type: string}}}}}}
`

// TestConversionWebhookDies: nothing in the API changes when a webhook's process
// dies. Its objects cannot be read any more and are Unknown, nor can they be
// written, others are judged as before, and all is well again when it answers.
func TestConversionWebhookDies(t *testing.T) {
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	define := func() *hook.Server {
		answering := hook.Start()
		t.Cleanup(answering.Close)
		for _, crd := range answering.Point([]*unstructured.Unstructured{objects(t, o, "", posters)[0].Unstructured}) {
			apply(t, c, "platform-team", manifest.Object{Unstructured: crd})
		}
		o.Invalidate()
		return answering
	}
	answering := define()
	const head = "apiVersion: conversion.example.com/%s\nkind: Poster\nmetadata: {name: p, namespace: %s}\n"
	poster := objects(t, o, namespace, fmt.Sprintf(head, "v1alpha1", namespace)+"spec: {text: hello, colour: red}\n")[0]
	other := declared(t, o, namespace, "kinds/configmap.yaml")[0]
	apply(t, c, "helm", other)
	eventually(t, "the kind is served", func(ctx context.Context) error {
		_, _, err := o.Types(ctx, poster.GroupVersionKind().GroupVersion())
		if err == nil {
			err = c.Apply(ctx, "helm", poster.DeepCopy())
		}
		o.Invalidate()
		return err
	})
	is := func(obj manifest.Object, want api.Verdict) func(context.Context) error {
		return func(context.Context) error {
			if got := judge(t, o, obj, look(t, o, obj)); got.Verdict != want {
				return fmt.Errorf("want %s, got %s", want, story(got))
			}
			return nil
		}
	}
	eventually(t, "judged", is(poster, api.VerdictInSync))
	h, j := hub(t)
	key := watch.Key{Resource: schema.GroupVersionResource{Group: "conversion.example.com", Version: "v1alpha1", Resource: "posters"}, Namespace: namespace}
	h.Set("shop", o.Metadata(), []watch.Key{key})
	j.await(t, watch.Change{Key: key, Kind: watch.Synced})

	answering.Close()
	eventually(t, "what cannot be read is unknown", is(poster, api.VerdictUnknown))
	eventually(t, "another kind is not touched", is(other, api.VerdictInSync))
	if err := c.Apply(t.Context(), "kubectl-edit", objects(t, o, namespace, fmt.Sprintf(head, "v1", namespace)+"spec: {style: {color: green}}\n")[0].DeepCopy()); err == nil {
		t.Error("it can be written behind the dead webhook, so that nobody would see the change")
	}

	define()
	eventually(t, "it recovers alone", is(poster, api.VerdictInSync))
	eventually(t, "and the watch is in step", func(context.Context) error {
		if !h.Synced(key) {
			return fmt.Errorf("still broken: %w", h.Err(key))
		}
		return nil
	})
}
