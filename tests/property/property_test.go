// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package property_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

var (
	seeds   = flag.Uint64("seeds", 90, "how many seeds are tried")
	first   = flag.Uint64("first", 1, "the first of them")
	workers = flag.Int("workers", 4, "how many are tried at a time")
)

func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{Still: true, AuditPolicy: quiet}) }

// quiet: nobody reads the audit log of this cluster.
const quiet = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]\n"

// bench is what one worker works with: a namespace of its own, and one in which
// a policy injects an annotation.
type bench struct {
	hand       hand
	eye        eye
	kinds      []kind
	namespaces []string
	tally      *tally
}

// tally counts what happened, so that a run that tried nothing shows.
type tally struct {
	verdicts, refused, classes sync.Map
	failed                     atomic.Int64
}

// most seeds that may fail before no more are tried.
const most = 20

func (*tally) count(in *sync.Map, what string) {
	n, _ := in.LoadOrStore(what, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func text(m *sync.Map) string {
	var parts []string
	m.Range(func(k, v any) bool {
		parts = append(parts, fmt.Sprintf("%v %d", k, v.(*atomic.Int64).Load()))
		return true
	})
	return strings.Join(parts, ", ")
}

// TestProperties tries the laws on random objects, on a real API server.
func TestProperties(t *testing.T) {
	c := cluster.Get(t)
	if err := errors.Join(
		c.ApplyFile(t.Context(), "testdata/widget-crd.yaml", "platform-team"),
		c.ApplyFile(t.Context(), "testdata/injection.yaml", "platform-team"),
	); err != nil {
		t.Fatal(err)
	}
	shared := open(t, c.AdminConfig())
	queue := make(chan uint64)
	var all sync.WaitGroup
	for range *workers {
		b := shared
		b.namespaces = []string{cluster.Namespace(t, c), cluster.Namespace(t, c)}
		inject(t, b, b.namespaces[1])
		all.Go(func() {
			for seed := range queue {
				b.try(t, seed)
			}
		})
	}
	for seed := *first; seed < *first+*seeds && shared.tally.failed.Load() < most; seed++ {
		queue <- seed
	}
	close(queue)
	all.Wait()
	t.Logf("verdicts: %s\nclasses: %s\nnot taken by the server: %s", text(&shared.tally.verdicts), text(&shared.tally.classes), text(&shared.tally.refused))
}

func open(t *testing.T, cfg *rest.Config) bench {
	t.Helper()
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.WarningHandler = -1, rest.NoWarnings{}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	connected, err := observe.Connect(cfg, observe.Options{DryRuns: *workers, MaxAge: time.Hour, AdmissionAge: time.Hour, EvidenceAge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return bench{
		hand: hand{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(asked))},
		eye:  eye{cluster: connected}, kinds: loadKinds(t), tally: &tally{},
	}
}

// inject labels a namespace so that the policy acts there, and waits until it
// does, on the new kind as well: every part of the server learns of that in its
// own time.
func inject(t *testing.T, b bench, namespace string) {
	t.Helper()
	namespaces := b.hand.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	patch := []byte(`{"metadata":{"labels":{"property.example.com/injected":"yes"}}}`)
	if _, err := namespaces.Patch(t.Context(), namespace, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, k := range b.kinds {
		if k.name == "configmap" || k.name == "widget" {
			acts(t, b, story{kind: k, namespace: namespace}.object(content{}))
		}
	}
}

func acts(t *testing.T, b bench, probe *unstructured.Unstructured) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		at, err := b.hand.of(probe)
		if err == nil {
			var made *unstructured.Unstructured
			made, err = at.Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err == nil && made.GetAnnotations()["property.example.com/injected"] != "" {
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the policy does not act on %s: %v", probe.GetKind(), err)
		}
	}
}

// try tries one seed.
func (b bench) try(t *testing.T, seed uint64) {
	t.Helper()
	s := tell(seed, b.kinds, b.namespaces)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := b.hand.make(ctx, s); err != nil {
		if !refused(err) {
			t.Errorf("%s%v", s, err)
		}
		b.tally.count(&b.tally.refused, "creations")
		return // the server does not take such an object
	}
	var baseline drift.Baseline
	if s.baseline {
		in, err := b.eye.see(ctx, s, s.before)
		if err != nil {
			t.Errorf("%s%v", s, err)
		}
		baseline = drift.Judge(in).Agreed
	}
	for _, a := range s.acts {
		if err := b.hand.do(ctx, s, a); err != nil {
			b.tally.count(&b.tally.refused, a.verb)
			if !refused(err) {
				t.Errorf("%s%s: %v", s, a, err)
			}
		}
	}
	b.judge(ctx, t, s, baseline)
	if err := b.hand.drop(ctx, s.object(s.before)); err != nil {
		t.Errorf("%s%v", s, err)
	}
}

// judge looks twice, holds what is said against the laws, and where all is in
// sync tries whether an edit would be seen.
func (b bench) judge(ctx context.Context, t *testing.T, s story, baseline drift.Baseline) {
	t.Helper()
	in, err := b.eye.see(ctx, s, s.git)
	if err != nil {
		t.Errorf("%s%v", s, err)
		return
	}
	in.Baseline, in.Known = baseline, baseline != nil
	o := drift.Judge(in)
	b.tally.count(&b.tally.verdicts, string(o.Verdict)+" "+o.Reason)
	for _, j := range o.Judgements {
		b.tally.count(&b.tally.classes, string(j.Class))
	}
	wrong := broken(in, o)
	again, err := b.eye.see(ctx, s, s.git)
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	again.Baseline, again.Known = in.Baseline, in.Known
	if second := drift.Judge(again); told(second) != told(o) {
		wrong = append(wrong, "a second look says\n"+told(second))
	}
	if o.Verdict == api.VerdictInSync && !s.scaled {
		wrong = append(wrong, b.twin(ctx, s, o)...)
	}
	if len(wrong) > 0 {
		b.tally.failed.Add(1)
		t.Errorf("%s%s\nof\n%s\nlive     %s\nrestored %s", s, strings.Join(wrong, "\n"), told(o),
			whole(in.Observation.Live), whole(in.Observation.Restored))
	}
}

func whole(o *unstructured.Unstructured) string {
	if o == nil {
		return "(none)"
	}
	text, err := o.MarshalJSON()
	return fmt.Sprint(string(text), errors.Join(err))
}

// sameNumber says whether two values are the same quantity, whatever the words.
func sameNumber(a, b any) bool {
	x, wrong := resource.ParseQuantity(fmt.Sprint(a))
	y, err := resource.ParseQuantity(fmt.Sprint(b))
	return wrong == nil && err == nil && x.Cmp(y) == 0
}

// twin edits a declared value by hand: what was in sync must not stay so.
func (b bench) twin(ctx context.Context, s story, before drift.Object) []string {
	for _, l := range s.kind.Levers {
		v, set := s.git[l.Path]
		if _, gone := v.(away); !set || gone || len(l.Values) < 2 {
			continue
		}
		for _, other := range l.Values {
			if reflect.DeepEqual(other, v) || sameNumber(other, v) {
				continue // live may differ there already, by a program's hand
			}
			edit := act{verb: "update", manager: "kubectl-edit", pulled: []string{l.Path}, to: content{l.Path: other}}
			was, _ := b.eye.see(ctx, s, s.git)
			if b.hand.do(ctx, s, edit) != nil {
				continue
			}
			in, err := b.eye.see(ctx, s, s.git)
			if err != nil {
				return []string{err.Error()}
			}
			if was.Observation.Live.GetResourceVersion() == in.Observation.Live.GetResourceVersion() {
				continue // to the server it is the same value
			}
			in.Baseline, in.Known = before.Agreed, true
			o := drift.Judge(in)
			if essence(was.Observation.Live) != essence(in.Observation.Live) && o.Verdict == api.VerdictInSync {
				return []string{fmt.Sprintf("%s was set to %v by hand, and:\n%s", l.Path, other, told(o))}
			}
			return broken(in, o)
		}
	}
	return nil
}
