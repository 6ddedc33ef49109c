// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

// rig is a cluster with the source- and the drift-controller on it.
type rig struct {
	cluster     *cluster.Cluster
	client      dynamic.Interface
	git         *gitserver.Server
	controllers *holdfast.Controllers
	metrics     string // address of the drift-controller's
}

var (
	configMaps      = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	autoscalers     = schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
	applications    = schema.GroupVersionResource{Group: "drift.holdfast.dev", Version: "v1alpha1", Resource: "applications"}
	gitRepositories = schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1", Resource: "gitrepositories"}
	reports         = schema.GroupVersionResource{Group: "drift.holdfast.dev", Version: "v1alpha1", Resource: "driftreports"}
)

func newRig(b *testing.B) *rig {
	b.Helper()
	root, err := filepath.Abs("../..")
	check(b, err)
	c, err := cluster.Start(b.Context(), cluster.Options{Progress: os.Stderr})
	check(b, err)
	b.Cleanup(func() { _ = c.Stop() })
	check(b, holdfast.Install(b.Context(), c, root))
	git, err := gitserver.Start(b.TempDir(), "", "")
	check(b, err)
	b.Cleanup(func() { _ = git.Stop() })
	metrics, err := holdfast.FreeAddress()
	check(b, err)
	controllers, err := holdfast.Start(b.Context(), holdfast.Options{
		Cluster: c, Root: root, Dir: b.TempDir(),
		Flags: map[string][]string{holdfast.Drift: {"--metrics-addr=" + metrics}},
	}, holdfast.Source, holdfast.Drift)
	check(b, err)
	b.Cleanup(controllers.Stop)
	client, err := dynamic.NewForConfig(c.AdminConfig())
	check(b, err)
	return &rig{cluster: c, client: client, git: git, controllers: controllers, metrics: metrics}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// observed makes a namespace with n ConfigMaps, live as Git declares them, and
// an Application over them, and waits for its first verdict.
func (r *rig) observed(b *testing.B, name string, n int, extra ...string) {
	b.Helper()
	ctx := b.Context()
	files := map[string][]byte{}
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-%05d, namespace: %s}\ndata: {value: %q, note: %q}\n",
			i, name, "v0", strings.Repeat("x", 200))
	}
	for _, e := range extra {
		text.WriteString("---\n" + e)
	}
	files["app/objects.yaml"] = []byte(text.String())
	repository, err := r.git.Create(ctx, name+".git")
	check(b, err)
	_, err = repository.Commit(ctx, "objects", time.Now(), files)
	check(b, err)
	r.apply(b, "bench", fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name))
	r.apply(b, "helm", text.String())
	r.apply(b, "bench", strings.ReplaceAll(strings.ReplaceAll(declarations, "NAME", name), "URL", repository.URL))
	r.await(b, name, func(o *unstructured.Unstructured) bool {
		inSync, _, _ := unstructured.NestedInt64(o.Object, "status", "summary", "inSync")
		return int(inSync) == n+len(extra)
	})
}

// declarations of one application with its observer.
const declarations = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: observer, namespace: NAME}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: observer, namespace: NAME}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch]}
- {apiGroups: [autoscaling], resources: [horizontalpodautoscalers], verbs: [get, list, watch, create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: observer-dry-run-only, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: holdfast-observer}
subjects: [{kind: ServiceAccount, name: observer, namespace: NAME}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: observer, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: observer}
subjects: [{kind: ServiceAccount, name: observer, namespace: NAME}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: acts-as-observer, namespace: NAME}
rules:
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [observer], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: acts-as-observer, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: acts-as-observer}
subjects: [{kind: ServiceAccount, name: drift-controller, namespace: holdfast-system}]
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: git, namespace: NAME}
spec: {interval: 1h, url: "URL", ref: {branch: main}}
---
apiVersion: drift.holdfast.dev/v1alpha1
kind: Application
metadata: {name: app, namespace: NAME}
spec:
  sourceRef: {kind: GitRepository, name: git}
  path: app
  identity: {observe: observer}
  interval: 1m
  strays: {report: false}
`

func (r *rig) apply(b *testing.B, manager, text string) {
	b.Helper()
	check(b, r.cluster.Apply(b.Context(), manager, r.decoded(b, text)...))
}

func (r *rig) decoded(b *testing.B, text string) []*unstructured.Unstructured {
	b.Helper()
	objects, err := manifest.Decode("bench.yaml", []byte(text))
	check(b, err)
	plain := make([]*unstructured.Unstructured, 0, len(objects))
	for _, o := range objects {
		plain = append(plain, o.Unstructured)
	}
	return plain
}

// await polls the Application, at a pace that does not disturb what is measured.
func (r *rig) await(b *testing.B, namespace string, reached func(*unstructured.Unstructured) bool) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Minute) // a loaded machine is no failure
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		o, err := r.client.Resource(applications).Namespace(namespace).Get(ctx, "app", metav1.GetOptions{})
		if err == nil && reached(o) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.Fatalf("Application %s/app did not get there: %v %v; %v", namespace, err, o, r.controllers.Err())
		}
	}
}

// requests counts what the drift-controller and its observers sent, by kind of
// request.
func (r *rig) requests(b *testing.B, since time.Time) map[string]int {
	b.Helper()
	events, err := r.cluster.Audit(b.Context())
	check(b, err)
	counts := map[string]int{}
	for _, e := range audit.Select(events, audit.Since(since), audit.ByUser(holdfast.Account(holdfast.Drift))) {
		verb := e.Verb
		if e.DryRun {
			verb = "dry run"
		}
		counts[verb+" "+e.Object.Resource]++
		counts["total"]++
	}
	return counts
}

// heap collects garbage in the drift-controller and reads its live heap.
func (r *rig) heap(b *testing.B) float64 {
	b.Helper()
	response, err := http.Get("http://" + r.metrics + "/debug/pprof/heap?gc=1")
	check(b, err)
	check(b, response.Body.Close())
	return r.metric(b, "go_memstats_heap_alloc_bytes")
}

func (r *rig) metric(b *testing.B, name string) float64 {
	b.Helper()
	response, err := http.Get("http://" + r.metrics + "/metrics")
	check(b, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			n, err := strconv.ParseFloat(value, 64)
			check(b, err)
			return n
		}
	}
	b.Fatalf("the drift-controller has no metric %s", name)
	return 0
}

// peak is the most memory that the drift-controller had, in MiB.
func (r *rig) peak(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.controllers.Process(holdfast.Drift).PID()))
	check(b, err)
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			check(b, err)
			return kib / 1024
		}
	}
	b.Fatal("this system does not tell a process's peak memory")
	return 0
}
