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
// dies. Its objects cannot be read any more and are Unknown, others are judged
// as before; a change behind the dead webhook breaks the watch, so that nobody
// takes the object for unchanged; and all is well again when it answers.
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
	apply(t, c, "kubectl-edit", objects(t, o, namespace, fmt.Sprintf(head, "v1", namespace)+"spec: {style: {color: green}}\n")...)
	eventually(t, "the watch knows of the change, or that it is blind", func(context.Context) error {
		if h.Synced(key) && j.count(watch.Change{Key: key, Name: "p", Kind: watch.Changed}) == 0 {
			return fmt.Errorf("in step, and nothing was announced: %+v", j.all())
		}
		return nil
	})

	define()
	eventually(t, "it recovers alone, and the edit shows", is(poster, api.VerdictDrifted))
	eventually(t, "and so does the watch", func(context.Context) error {
		if !h.Synced(key) {
			return fmt.Errorf("still broken: %w", h.Err(key))
		}
		return nil
	})
}
