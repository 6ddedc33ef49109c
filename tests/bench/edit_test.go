// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// pause lets the second end in which the drift-controller gathers news after a
// status write, so that each edit is the first of a burst.
const pause = 1200 * time.Millisecond

// BenchmarkHandEdit measures (a): from the answer to a hand edit until the
// report shows it, over a bare loop of watch event, GET and status patch.
func BenchmarkHandEdit(b *testing.B) {
	for _, size := range []int{50, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := newRig(b)
			name := fmt.Sprintf("edit-%d", size)
			r.observed(b, name, size)
			edits := 60
			if testing.Short() {
				edits = 15
			}
			bare := r.bareLoop(b, name+"-bare", edits)
			seen := r.editsSeen(b, name, edits)
			b.ReportMetric(ms(at(seen, 0.5)), "ms-median")
			b.ReportMetric(ms(at(bare, 0.5)), "ms-bare-median")
			b.ReportMetric(ms(at(seen, 0.99)), "ms-p99")
			b.ReportMetric(ms(at(bare, 0.99)), "ms-bare-p99")
			b.ReportMetric(float64(at(seen, 0.5))/float64(at(bare, 0.5)), "x-median")
			b.ReportMetric(float64(at(seen, 0.99))/float64(at(bare, 0.99)), "x-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func at(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// editsSeen edits by hand and waits for the entry on the report's page.
func (r *rig) editsSeen(b *testing.B, namespace string, n int) []time.Duration {
	b.Helper()
	pages := r.watch(b, reports.Resource, namespace)
	defer pages.Stop()
	var took []time.Duration
	for i := range n {
		value := fmt.Sprintf("edited-%d", i)
		start := r.edit(b, namespace, value)
		waitFor(b, pages, func(o *unstructured.Unstructured) bool { return mentions(o, value) })
		took = append(took, time.Since(start))
		time.Sleep(pause) // the pace of the edits is part of what is measured
	}
	slices.Sort(took)
	return took
}

func mentions(o *unstructured.Unstructured, value string) bool {
	text, err := json.Marshal(o.Object["status"])
	return err == nil && strings.Contains(string(text), value)
}

// bareLoop is the least that any controller has to do: a watch event, a read
// of the object, a status patch. It runs in this process, on its own client.
func (r *rig) bareLoop(b *testing.B, namespace string, n int) []time.Duration {
	b.Helper()
	ctx := b.Context()
	r.apply(b, "bench", fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n---\n"+
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-00000, namespace: %[1]s}\ndata: {value: v0}\n---\n"+
		"apiVersion: drift.holdfast.dev/v1alpha1\nkind: DriftReport\nmetadata: {name: app-0, namespace: %[1]s}\n", namespace))
	objects := r.watch(b, configMaps.Resource, namespace)
	defer objects.Stop()
	go func() {
		for event := range objects.ResultChan() {
			if o, ok := event.Object.(*unstructured.Unstructured); ok && event.Type == watch.Modified && o.GetName() == "item-00000" {
				r.report(ctx, namespace, o.GetName())
			}
		}
	}()
	return r.editsSeen(b, namespace, n)
}

func (r *rig) report(ctx context.Context, namespace, name string) {
	o, err := r.client.Resource(configMaps).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return // the meter then waits in vain, and says so
	}
	value, _, _ := unstructured.NestedString(o.Object, "data", "value")
	patch := fmt.Sprintf(`{"status":{"revision":%q}}`, value)
	_, _ = r.client.Resource(reports).Namespace(namespace).Patch(ctx, "app-0", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
}

func (r *rig) edit(b *testing.B, namespace, value string) time.Time {
	b.Helper()
	patch := fmt.Sprintf(`{"data":{"value":%q}}`, value)
	_, err := r.client.Resource(configMaps).Namespace(namespace).Patch(b.Context(), "item-00000", types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{FieldManager: "kubectl-edit"})
	check(b, err)
	return time.Now()
}

func (r *rig) watch(b *testing.B, resource, namespace string) watch.Interface {
	b.Helper()
	gvr := configMaps
	if resource == reports.Resource {
		gvr = reports
	}
	list, err := r.client.Resource(gvr).Namespace(namespace).List(b.Context(), metav1.ListOptions{})
	check(b, err)
	w, err := r.client.Resource(gvr).Namespace(namespace).Watch(b.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	check(b, err)
	return w
}

func waitFor(b *testing.B, w watch.Interface, reached func(*unstructured.Unstructured) bool) {
	b.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case event := <-w.ResultChan():
			if o, ok := event.Object.(*unstructured.Unstructured); ok && reached(o) {
				return
			}
		case <-limit:
			b.Fatal("the edit was not reported within a minute")
		}
	}
}
