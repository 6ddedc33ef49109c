// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// gadgets is a kind of two versions.
const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.isolation.example.com}
spec:
  group: isolation.example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: %s}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: %s}}}}}}}
`

// TestSchemaThatLiveDoesNotFit: a definition that was changed under its objects
// makes them Unknown, and no other; mended, they are judged again.
func TestSchemaThatLiveDoesNotFit(t *testing.T) {
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	define := func(kind string) {
		apply(t, c, "platform-team", objects(t, o, "", fmt.Sprintf(gadgets, kind, kind))...)
		o.Invalidate()
	}
	define("integer")
	gadget := objects(t, o, namespace, "apiVersion: isolation.example.com/v1\nkind: Gadget\nmetadata: {name: s, namespace: "+namespace+"}\nspec: {size: 1}\n")[0]
	other := declared(t, o, namespace, "kinds/configmap.yaml")[0]
	apply(t, c, "helm", gadget, other)
	is := func(obj manifest.Object, want api.Verdict) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, _, err := o.Types(ctx, obj.GroupVersionKind().GroupVersion()); err != nil {
				o.Invalidate() // a new kind is served some time before its schema
				return err
			}
			if got := judge(t, o, obj, look(t, o, obj)); got.Verdict != want {
				return fmt.Errorf("want %s, got %s", want, story(got))
			}
			return nil
		}
	}
	eventually(t, "judged", is(gadget, api.VerdictInSync))
	define("object")
	eventually(t, "what does not fit is unknown", is(gadget, api.VerdictUnknown))
	eventually(t, "another kind is not touched", is(other, api.VerdictInSync))
	define("integer")
	eventually(t, "it recovers alone", is(gadget, api.VerdictInSync))
}

// TestDroppedKind: a watch of a kind that goes away fails by itself, and the
// others go on; when the kind is back, so is the watch.
func TestDroppedKind(t *testing.T) {
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	late := schema.GroupVersionResource{Group: "late.isolation.example.com", Version: "v1", Resource: "lates"}
	h, j := hub(t)
	env, gone := watch.Key{Resource: configMaps, Namespace: namespace}, watch.Key{Resource: late, Namespace: namespace}
	h.Set("shop", o.Metadata(), []watch.Key{env, gone})
	j.await(t, watch.Change{Key: env, Kind: watch.Synced})
	j.await(t, watch.Change{Key: gone, Kind: watch.Failed})
	if !h.Synced(env) || h.Synced(gone) {
		t.Error("a kind that is not served breaks another's watch, or counts as watched")
	}
	apply(t, c, "platform-team", objects(t, o, "", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lates.late.isolation.example.com}
spec:
  group: late.isolation.example.com
  scope: Namespaced
  names: {kind: Late, plural: lates}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`)...)
	j.await(t, watch.Change{Key: gone, Kind: watch.Synced})
}
