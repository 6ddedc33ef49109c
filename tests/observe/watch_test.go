// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// journal keeps what a hub announces.
type journal struct {
	mu      sync.Mutex
	changes []watch.Change
}

func (j *journal) note(c watch.Change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.changes = append(j.changes, c)
}

// count says how often a change was announced.
func (j *journal) count(want watch.Change) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, c := range j.changes {
		if c == want {
			n++
		}
	}
	return n
}

// all is what was announced so far.
func (j *journal) all() []watch.Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.changes)
}

func (j *journal) await(t *testing.T, want watch.Change) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s %q of %s", want.Kind, want.Name, want.Key.Resource.Resource), func(context.Context) error {
		if j.count(want) == 0 {
			return fmt.Errorf("not announced among %+v", j.all())
		}
		return nil
	})
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// hub starts one that ends with the test.
func hub(t *testing.T) (*watch.Hub, *journal) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	j := &journal{}
	h := watch.New(ctx, j.note)
	t.Cleanup(func() {
		cancel()
		h.Wait()
	})
	return h, j
}

// TestWatchTellsWhatMatters: an edit is announced, a status is not.
func TestWatchTellsWhatMatters(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	o := connect(t, c.AdminConfig())
	set := declaredAll(t, o, namespace, "deployment", "configmap")
	apply(t, c, "helm", set...)
	h, j := hub(t)
	web := watch.Key{Resource: deployments, Namespace: namespace}
	env := watch.Key{Resource: configMaps, Namespace: namespace}
	h.Set("shop", o.Metadata(), []watch.Key{web, env})
	j.await(t, watch.Change{Key: web, Kind: watch.Synced})
	j.await(t, watch.Change{Key: env, Kind: watch.Synced})

	before, there := h.Get(web, "web")
	if !there || before.UID == "" || before.Generation == 0 {
		t.Fatalf("stamp of a live Deployment: %+v %t", before, there)
	}
	announced := j.count(watch.Change{Key: web, Name: "web", Kind: watch.Changed})
	status := []byte(`{"status":{"conditions":[{"type":"Observed","status":"True"}]}}`)
	if _, err := kube(t, c).AppsV1().Deployments(namespace).Patch(t.Context(), "web", types.MergePatchType, status, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	edit(t, c, o, set[1], `{"data":{"DB_HOST":"primary"}}`)
	j.await(t, watch.Change{Key: env, Name: "env", Kind: watch.Changed})
	eventually(t, "the status write was seen", func(context.Context) error {
		if after, _ := h.Get(web, "web"); after.ResourceVersion == before.ResourceVersion {
			return fmt.Errorf("still at %s", after.ResourceVersion)
		}
		return nil
	})
	if n := j.count(watch.Change{Key: web, Name: "web", Kind: watch.Changed}); n != announced {
		t.Errorf("a status was announced %d times", n-announced)
	}
	edit(t, c, o, set[0], `{"spec":{"replicas":7}}`)
	j.await(t, watch.Change{Key: web, Name: "web", Kind: watch.Changed})

	if err := kube(t, c).CoreV1().ConfigMaps(namespace).Delete(t.Context(), "env", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	j.await(t, watch.Change{Key: env, Name: "env", Kind: watch.Deleted})
}

// TestWatchesAreSharedAndEnd: two applications need one watch, and the last
// that lets go ends it.
func TestWatchesAreSharedAndEnd(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	o := connect(t, c.AdminConfig())
	h, j := hub(t)
	env := watch.Key{Resource: configMaps, Namespace: namespace}
	web := watch.Key{Resource: deployments, Namespace: namespace}
	h.Set("a", o.Metadata(), []watch.Key{env, web})
	h.Set("b", o.Metadata(), []watch.Key{env})
	j.await(t, watch.Change{Key: env, Kind: watch.Synced})
	if watches, _ := h.Len(); watches != 2 {
		t.Errorf("%d watches for two keys", watches)
	}
	h.Set("a", o.Metadata(), []watch.Key{web})
	if !h.Synced(env) {
		t.Error("the watch ended though another application wants it")
	}
	h.Release("b")
	if h.Synced(env) {
		t.Error("nobody wants the watch and it goes on")
	}
	h.Release("a")
	if watches, objects := h.Len(); watches != 0 || objects != 0 {
		t.Errorf("%d watches of %d objects are left", watches, objects)
	}
}

// TestForbiddenWatch disturbs no other, says why, and runs when it may.
func TestForbiddenWatch(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	account := observer(t, c, namespace, rule("", "configmaps", "list", "watch"))
	o := actingAs(t, c, account)
	h, j := hub(t)
	env := watch.Key{Account: account.String(), Resource: configMaps, Namespace: namespace}
	web := watch.Key{Account: account.String(), Resource: deployments, Namespace: namespace}
	h.Set("shop", o.Metadata(), []watch.Key{env, web})
	j.await(t, watch.Change{Key: env, Kind: watch.Synced})
	j.await(t, watch.Change{Key: web, Kind: watch.Failed})
	if err := h.Err(web); !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want forbidden", err)
	}
	if h.Synced(web) || h.Err(env) != nil {
		t.Error("one refused watch must not count as synced, nor break another")
	}
	role, err := kube(t, c).RbacV1().Roles(namespace).Get(t.Context(), "observer", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.Rules = append(role.Rules, rule("apps", "deployments", "list", "watch"))
	if _, err := kube(t, c).RbacV1().Roles(namespace).Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	j.await(t, watch.Change{Key: web, Kind: watch.Synced})
}
