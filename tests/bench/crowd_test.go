// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

var inventories = schema.GroupVersionResource{Group: "drift.holdfast.dev", Version: "v1alpha1", Resource: "inventories"}

// BenchmarkAllDrifted drives an application of 5,000 objects, each of them
// edited by hand, and holds what is published against its limits: they are
// promises, and a page beyond them is an error here.
func BenchmarkAllDrifted(b *testing.B) {
	r := newRig(b)
	n := 5000
	if testing.Short() {
		n = 500
	}
	r.observed(b, "crowd", n)
	edited := time.Now()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-%05d, namespace: crowd}\ndata: {value: by-hand}\n", i)
	}
	r.apply(b, "kubectl-edit", text.String())
	b.ReportMetric(time.Since(edited).Seconds(), "s/editing")
	done := time.Now()
	r.await(b, "crowd", func(o *unstructured.Unstructured) bool {
		drifted, _, _ := unstructured.NestedInt64(o.Object, "status", "summary", "drifted")
		return int(drifted) == n
	})
	b.ReportMetric(time.Since(done).Seconds(), "s/report-behind-edits")
	r.published(b, n)
	b.ReportMetric(r.kubectl(b, "get", "driftreports,inventories,applications", "--namespace", "crowd").Seconds(), "s/kubectl-get")
	b.ReportMetric(0, "ns/op")
}

// published reads all pages back: none is too large, and together they have
// every object.
func (r *rig) published(b *testing.B, n int) {
	b.Helper()
	for what, resource := range map[string]schema.GroupVersionResource{"report": reports, "inventory": inventories} {
		list, err := r.client.Resource(resource).Namespace("crowd").List(b.Context(), metav1.ListOptions{})
		check(b, err)
		largest, entries, truncated := 0, 0, int64(0)
		for _, page := range list.Items {
			size, err := json.Marshal(page.Object)
			check(b, err)
			largest = max(largest, len(size))
			for _, field := range []string{"entries", "objects"} {
				items, _, _ := unstructured.NestedSlice(page.Object, "status", field)
				entries += len(items)
			}
			lost, _, _ := unstructured.NestedInt64(page.Object, "status", "truncated")
			truncated += lost
		}
		if largest > pages.Limit || entries != n || truncated > 0 {
			b.Errorf("%s: %d pages, the largest %d bytes of %d; %d entries of %d, %d left out", what, len(list.Items), largest, pages.Limit, entries, n, truncated)
		}
		b.ReportMetric(float64(len(list.Items)), "pages/"+what)
		b.ReportMetric(float64(largest)/1024, "KiB/largest-"+what)
	}
}

// kubectl times one command of a person.
func (r *rig) kubectl(b *testing.B, args ...string) time.Duration {
	b.Helper()
	kubectl, err := r.cluster.Kubectl()
	check(b, err)
	began := time.Now()
	out, err := exec.CommandContext(b.Context(), kubectl, append([]string{"--kubeconfig", r.cluster.AdminKubeconfig()}, args...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "application.drift.holdfast.dev/app") {
		b.Fatalf("kubectl %s: %v: %.2000s", strings.Join(args, " "), err, out)
	}
	return time.Since(began)
}
