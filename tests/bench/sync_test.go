// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

// writes bounds the applies at once, of the drift-controller and of the bare
// loop that it is compared with.
const writes = 8

// deployed are the declarations beside those of an observed application.
const deployed = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: NAME}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: deployer, namespace: NAME}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}
subjects: [{kind: ServiceAccount, name: deployer, namespace: NAME}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: acts-as-deployer, namespace: NAME}
rules:
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [deployer], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: acts-as-deployer, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: acts-as-deployer}
subjects: [{kind: ServiceAccount, name: drift-controller, namespace: holdfast-system}]
---
apiVersion: drift.holdfast.dev/v1alpha1
kind: Project
metadata: {name: NAME}
spec: {applicationNamespaces: [NAME], destinations: [{namespace: NAME}], maxStage: SelfHeal}
`

// settings are n ConfigMaps; the first holds a value.
func settings(namespace, value string, n int) string {
	var text strings.Builder
	for i := range n {
		held := "v0"
		if i == 0 {
			held = value
		}
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-%05d, namespace: %s}\ndata: {value: %q, note: %q}\n",
			i, namespace, held, strings.Repeat("x", 200))
	}
	return text.String()
}

// synced makes a namespace and an Application at a stage over n ConfigMaps that
// Git alone has, and waits until the cluster has them. It says how long that
// took from the Application on, its source being ready.
func (r *rig) synced(b *testing.B, name, stage string, n int) (*gitserver.Repository, time.Duration) {
	b.Helper()
	ctx := b.Context()
	repository, err := r.git.Create(ctx, name+".git")
	check(b, err)
	_, err = repository.Commit(ctx, "objects", time.Now(), map[string][]byte{"app/objects.yaml": []byte(settings(name, "v0", n))})
	check(b, err)
	r.apply(b, "bench", fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name))
	r.apply(b, "bench", strings.ReplaceAll(deployed, "NAME", name))
	all := strings.ReplaceAll(strings.ReplaceAll(declarations, "NAME", name), "URL", repository.URL)
	before, application, _ := strings.Cut(all, "---\napiVersion: drift.holdfast.dev")
	r.apply(b, "bench", before)
	r.sourceReady(b, name)
	application = strings.Replace(application, "identity: {observe: observer}",
		fmt.Sprintf("project: %s\n  stage: %s\n  identity: {observe: observer, apply: deployer}", name, stage), 1)
	start := time.Now()
	r.apply(b, "bench", "apiVersion: drift.holdfast.dev"+application)
	r.inSync(b, name, n)
	return repository, time.Since(start)
}

func (r *rig) sourceReady(b *testing.B, namespace string) {
	b.Helper()
	r.until(b, "the source is ready", func(ctx context.Context) bool {
		o, err := r.client.Resource(gitRepositories).Namespace(namespace).Get(ctx, "git", metav1.GetOptions{})
		return err == nil && isTrue(o, "Ready")
	})
}

func (r *rig) inSync(b *testing.B, namespace string, n int) {
	b.Helper()
	r.until(b, "all is in sync", func(ctx context.Context) bool {
		o, err := r.client.Resource(applications).Namespace(namespace).Get(ctx, "app", metav1.GetOptions{})
		if err != nil {
			return false
		}
		inSync, _, _ := unstructured.NestedInt64(o.Object, "status", "summary", "inSync")
		return int(inSync) == n && isTrue(o, "Synced")
	})
}

func isTrue(o *unstructured.Unstructured, kind string) bool {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == kind && m["status"] == "True"
	})
}

// until polls at a pace that disturbs little and is fine enough for a ratio.
func (r *rig) until(b *testing.B, what string, reached func(context.Context) bool) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !reached(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.Fatalf("in vain: %s; %v", what, r.controllers.Err())
		}
	}
}

// plainApplies is the least that a first sync has to do.
func (r *rig) plainApplies(b *testing.B, name string, n int) time.Duration {
	b.Helper()
	r.apply(b, "bench", fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name))
	objects := r.decoded(b, settings(name, "v0", n))
	start := time.Now()
	var group errgroup.Group
	group.SetLimit(writes)
	for _, o := range objects {
		group.Go(func() error {
			_, err := r.client.Resource(configMaps).Namespace(name).Apply(b.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "bench"})
			return err
		})
	}
	check(b, group.Wait())
	return time.Since(start)
}

// BenchmarkFirstSync: 1,000 ConfigMaps that only Git has, and then a commit that
// changes one of them.
func BenchmarkFirstSync(b *testing.B) {
	r := newRig(b)
	const n = 1000
	r.synced(b, "warm", "Sync", 1)
	bare := r.plainApplies(b, "bare", n)
	start := time.Now()
	repository, took := r.synced(b, "sync", "Sync", n)
	counts := r.requests(b, start)
	for kind, count := range counts {
		if count >= 5 {
			b.Logf("%6d %s", count, kind)
		}
	}
	b.ReportMetric(float64(counts["total"])/n, "requests/object")
	b.ReportMetric(took.Seconds(), "s-sync")
	b.ReportMetric(bare.Seconds(), "s-plain-applies")
	b.ReportMetric(took.Seconds()/bare.Seconds(), "x-time")

	quiet(b)
	start = time.Now()
	_, err := repository.Commit(b.Context(), "one", time.Now(), map[string][]byte{"app/objects.yaml": []byte(settings("sync", "v1", n))})
	check(b, err)
	r.ask(b, "sync", start)
	r.until(b, "the commit is live", func(ctx context.Context) bool { return r.value(ctx, "sync") == "v1" })
	quiet(b)
	events, err := r.cluster.Audit(b.Context())
	check(b, err)
	b.ReportMetric(float64(len(audit.Select(events, audit.Since(start), audit.ByUser(holdfast.Account(holdfast.Drift)), audit.Persisting,
		func(e audit.Event) bool { return e.Object.Resource == configMaps.Resource }))), "writes-for-one-of-1000")
	b.ReportMetric(0, "ns/op")
}

// ask makes the source look at its remote now.
func (r *rig) ask(b *testing.B, namespace string, at time.Time) {
	b.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, at.Format(time.RFC3339Nano))
	_, err := r.client.Resource(gitRepositories).Namespace(namespace).Patch(b.Context(), "git", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	check(b, err)
}

func (r *rig) value(ctx context.Context, namespace string) string {
	o, err := r.client.Resource(configMaps).Namespace(namespace).Get(ctx, "item-00000", metav1.GetOptions{})
	if err != nil {
		return ""
	}
	value, _, _ := unstructured.NestedString(o.Object, "data", "value")
	return value
}

// BenchmarkHeal: from a hand edit until the value is Git's again, six in a row
// and more, over the least that anybody has to do who will not act on old news:
// see it, ask the remote, read the source's status, read the object, patch it.
func BenchmarkHeal(b *testing.B) {
	r := newRig(b)
	edits := 30
	if testing.Short() {
		edits = 8
	}
	repository, _ := r.synced(b, "heal", "SelfHeal", 50)
	bare := r.bareHeal(b, "heal-bare", repository.URL, edits)
	took := r.restored(b, "heal", edits)
	b.ReportMetric(ms(took[0]), "ms-first")
	b.ReportMetric(ms(took[5]), "ms-sixth")
	b.ReportMetric(float64(took[5])/float64(took[0]), "x-sixth-over-first")
	slices.Sort(took)
	slices.Sort(bare)
	b.ReportMetric(ms(at(took, 0.5)), "ms-median")
	b.ReportMetric(ms(at(bare, 0.5)), "ms-bare-median")
	b.ReportMetric(float64(at(took, 0.5))/float64(at(bare, 0.5)), "x-median")
	b.ReportMetric(0, "ns/op")
}

// restored edits by hand and waits until the value is back. Each edit is of
// another writer, since it is no fight that is measured.
func (r *rig) restored(b *testing.B, namespace string, n int) []time.Duration {
	b.Helper()
	objects := r.watch(b, configMaps.Resource, namespace)
	defer objects.Stop()
	var took []time.Duration
	for i := range n {
		name := fmt.Sprintf("item-%05d", i%50)
		patch := fmt.Sprintf(`{"data":{"value":"edited-%d"}}`, i)
		_, err := r.client.Resource(configMaps).Namespace(namespace).Patch(b.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "kubectl-edit"})
		check(b, err)
		start := time.Now()
		waitFor(b, objects, func(o *unstructured.Unstructured) bool {
			value, _, _ := unstructured.NestedString(o.Object, "data", "value")
			return o.GetName() == name && value == "v0"
		})
		took = append(took, time.Since(start))
		time.Sleep(pause) // the pace of the edits is part of what is measured
	}
	return took
}

// bareHeal is that least, in this process.
func (r *rig) bareHeal(b *testing.B, namespace, remote string, n int) []time.Duration {
	b.Helper()
	r.apply(b, "bench", fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", namespace))
	r.apply(b, "bench", settings(namespace, "v0", 50))
	objects := r.watch(b, configMaps.Resource, namespace)
	defer objects.Stop()
	go func() {
		for event := range objects.ResultChan() {
			if o, ok := event.Object.(*unstructured.Unstructured); ok && event.Type == watch.Modified {
				r.putBack(b.Context(), namespace, remote, o.GetName())
			}
		}
	}()
	return r.restored(b, namespace, n)
}

func (r *rig) putBack(ctx context.Context, namespace, remote, name string) {
	o, err := r.client.Resource(configMaps).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return // the meter then waits in vain, and says so
	}
	if value, _, _ := unstructured.NestedString(o.Object, "data", "value"); value == "v0" {
		return
	}
	_ = exec.CommandContext(ctx, "git", "ls-remote", remote).Run()
	_, _ = r.client.Resource(gitRepositories).Namespace("heal").Get(ctx, "git", metav1.GetOptions{})
	_, _ = r.client.Resource(configMaps).Namespace(namespace).Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"value":"v0"}}`), metav1.PatchOptions{})
}
