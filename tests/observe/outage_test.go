// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestServerNeverThere: an object that cannot be read is unknown, not missing.
func TestServerNeverThere(t *testing.T) {
	c := cluster.Get(t)
	there := connect(t, c.AdminConfig())
	obj := declared(t, there, "default", "kinds/configmap.yaml")[0]
	gone := connect(t, &rest.Config{Host: "https://127.0.0.1:1"})
	seen := gone.Observe(t.Context(), obj, gone.Gather(t.Context(), []manifest.Object{obj}, scope))
	if reason, words := told(seen); reason != observe.ReasonUnreachable {
		t.Errorf("got %s: %s, want %s", reason, words, observe.ReasonUnreachable)
	}
}

// TestServerGoneForAWhile: nothing turns missing or green, the watch says that
// it is broken, and afterwards both know what happened meanwhile.
func TestServerGoneForAWhile(t *testing.T) {
	c := cluster.Get(t)
	if !c.Embedded() {
		t.Log("a cluster that is not ours is not stopped")
		return
	}
	namespace := cluster.Namespace(t, c)
	o := connect(t, c.AdminConfig())
	obj := declared(t, o, namespace, "kinds/configmap.yaml")[0]
	apply(t, c, "helm", obj)
	s := o.Gather(t.Context(), []manifest.Object{obj}, scope)
	h, j := hub(t)
	key := watch.Key{Resource: configMaps, Namespace: namespace}
	h.Set("shop", o.Metadata(), []watch.Key{key})
	j.await(t, watch.Change{Key: key, Kind: watch.Synced})

	if err := c.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if reason, words := told(o.Observe(t.Context(), obj, s)); reason != observe.ReasonUnreachable {
		t.Errorf("while the server is gone: got %s: %s, want %s", reason, words, observe.ReasonUnreachable)
	}
	j.await(t, watch.Change{Key: key, Kind: watch.Failed})
	if h.Synced(key) {
		t.Error("a broken watch counts as synced")
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the object is judged again", func(context.Context) error {
		if seen := o.Observe(t.Context(), obj, s); seen.Failure != nil || seen.Precision != api.PrecisionRestored {
			return fmt.Errorf("%s %+v", seen.Precision, seen.Failure)
		}
		return nil
	})
	edit(t, c, o, obj, `{"data":{"DB_HOST":"primary"}}`)
	j.await(t, watch.Change{Key: key, Name: "env", Kind: watch.Changed})
	if !h.Synced(key) {
		t.Errorf("the watch is still broken: %v", h.Err(key))
	}
}

// TestAggregatedAPIDown: its group cannot be told, every other can, and a kind
// of it is not taken for one that does not exist.
func TestAggregatedAPIDown(t *testing.T) {
	const broken = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.down.example.com}
spec:
  group: down.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {name: nothing, namespace: default}
`
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	service := objects(t, o, "", broken)[0]
	apply(t, c, "platform-team", service)
	t.Cleanup(func() { removeAPIService(t, c, service.GetName()) })
	eventually(t, "discovery is incomplete", func(ctx context.Context) error {
		o.Invalidate()
		scopes, err := o.Scopes(ctx)
		if err == nil && !slices.ContainsFunc(scopes.Incomplete, func(s string) bool { return strings.HasPrefix(s, "down.example.com/v1: ") }) {
			return fmt.Errorf("incomplete: %v", scopes.Incomplete)
		}
		return err
	})

	if seen := look(t, o, service); seen.Failure != nil || seen.Precision != api.PrecisionInPlace {
		t.Errorf("the APIService itself: %s %+v, want %s: its name is checked", seen.Precision, seen.Failure, api.PrecisionInPlace)
	}
	lost := objects(t, o, "default", "apiVersion: down.example.com/v1\nkind: Thing\nmetadata: {name: t, namespace: default}\n")[0]
	if reason, words := told(look(t, o, lost)); reason != observe.ReasonDiscovery || !strings.Contains(words, "down.example.com") {
		t.Errorf("got %s: %s, want %s with the name of the group", reason, words, observe.ReasonDiscovery)
	}
	namespace := cluster.Namespace(t, c)
	census, err := o.Census(t.Context(), []string{namespace}, func(manifest.ID) bool { return false })
	if err != nil || !strings.Contains(strings.Join(census.Unlisted, "\n"), "down.example.com") {
		t.Errorf("census: %+v %v, want the group among the unlisted", census, err)
	}
}

func removeAPIService(t *testing.T, c *cluster.Cluster, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	services := schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	if err := client.Resource(services).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Errorf("a broken APIService is left behind: %v", err)
	}
}
