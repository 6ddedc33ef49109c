// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{}) }

// scope masks with a key that does not matter here.
var scope = mask.Scope{Key: mask.Key("observe-tests")}

// connect sees the cluster with the rights of the configuration.
func connect(t *testing.T, cfg *rest.Config) *observe.Cluster {
	t.Helper()
	c, err := observe.Connect(cfg, observe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kube(t *testing.T, c *cluster.Cluster) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// declared reads a file of testdata and puts namespaced objects into one
// namespace, as the desired set does.
func declared(t *testing.T, o *observe.Cluster, namespace, file string) []manifest.Object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, o, namespace, string(text))
}

func declaredAll(t *testing.T, o *observe.Cluster, namespace string, kinds ...string) []manifest.Object {
	t.Helper()
	var all []manifest.Object
	for _, kind := range kinds {
		all = append(all, declared(t, o, namespace, "kinds/"+kind+".yaml")...)
	}
	return all
}

func objects(t *testing.T, o *observe.Cluster, namespace, text string) []manifest.Object {
	t.Helper()
	all, err := manifest.Decode(t.Name(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	scopes, err := o.Scopes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	scopes = scopes.With(manifest.ScopesFrom(all))
	for _, obj := range all {
		if namespaced, known := scopes.Of(obj.ID().GroupKind()); (namespaced || !known) && obj.GetNamespace() == "" {
			obj.SetNamespace(namespace)
		}
	}
	return all
}

// apply lets a tool write the objects, as the administrator.
func apply(t *testing.T, c *cluster.Cluster, manager string, all ...manifest.Object) {
	t.Helper()
	for _, obj := range all {
		if err := c.Apply(t.Context(), manager, obj.DeepCopy()); err != nil {
			t.Fatal(err)
		}
	}
}

// look observes one object that stands alone.
func look(t *testing.T, o *observe.Cluster, obj manifest.Object) live.Observation {
	t.Helper()
	return o.Observe(t.Context(), obj, o.Gather(t.Context(), []manifest.Object{obj}, scope))
}

// judge gives the verdict that the product would give.
func judge(t *testing.T, o *observe.Cluster, obj manifest.Object, seen live.Observation) drift.Object {
	t.Helper()
	types, _, err := o.Types(t.Context(), obj.GroupVersionKind().GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	own := scope
	own.Secret = obj.GetKind() == "Secret"
	return drift.Judge(drift.Input{
		Desired: obj, Observation: seen, Types: types, Writers: writers.BuiltIn(), Mask: own, Now: time.Now(),
	})
}

// story lists what a verdict stands on, for a failed test.
func story(o drift.Object) string {
	text := fmt.Sprintf("%s %s %s %s %v", o.Verdict, o.Precision, o.Reason, o.Message, o.Findings)
	for _, j := range o.Judgements {
		text += fmt.Sprintf("\n  %s %s %s drift=%t: %s", j.Pointer, j.Kind, j.Class, j.Drift, j.Explanation)
	}
	return text
}

// eventually polls until the probe is content.
func eventually(t *testing.T, what string, probe func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		err := probe(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, err)
		case <-tick.C:
		}
	}
}

// awaitQuota waits until a quota counts, which it does some time after it was
// created.
func awaitQuota(t *testing.T, c *cluster.Cluster, namespace string) {
	t.Helper()
	client := kube(t, c)
	eventually(t, "quota counts", func(ctx context.Context) error {
		all, err := client.CoreV1().ResourceQuotas(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, q := range all.Items {
			if len(q.Status.Used) < len(q.Spec.Hard) {
				return fmt.Errorf("quota %s has counted %v", q.Name, q.Status.Used)
			}
		}
		return nil
	})
}
