// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// sent notes which requests would go out, in the words of this test; what a
// server makes of them is shown on a real one, in tests/e2e.
type sent struct {
	client.Client
	mu    sync.Mutex // pages are written side by side
	there map[string]bool
	fail  error
	log   []string
}

func name(o client.Object) string {
	if _, ok := o.(*api.Inventory); ok {
		return inventories + "/" + o.GetName()
	}
	return reports + "/" + o.GetName()
}

// statuses are the writes to the subresource.
type statuses struct {
	client.SubResourceWriter
	of *sent
}

func (s *sent) Status() client.SubResourceWriter { return statuses{of: s} }

func (s statuses) Patch(_ context.Context, o client.Object, p client.Patch, _ ...client.SubResourcePatchOption) error {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.fail != nil {
		return s.of.fail
	}
	if !s.of.there[name(o)] {
		return apierrors.NewNotFound(schema.GroupResource{}, o.GetName())
	}
	text, err := p.Data(o)
	if err != nil || !strings.HasPrefix(string(text), `[{"op":"add","path":"/status"`) {
		return fmt.Errorf("not the whole status: %s %w", text, err)
	}
	s.of.log = append(s.of.log, "status "+name(o))
	return nil
}

func (s *sent) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.there[name(o)] = true
	s.log = append(s.log, "create "+name(o))
	return nil
}

func (s *sent) Delete(_ context.Context, o client.Object, _ ...client.DeleteOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.log = append(s.log, "delete "+name(o))
	return nil
}

func (s *sent) take() []string {
	log := s.log
	s.log = nil
	slices.Sort(log) // pages have no order among them
	return log
}

var shop = &api.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1"}}

func page(text string) api.DriftReportStatus { return api.DriftReportStatus{Revision: text} }

// TestOnlyWhatChangedIsWritten: cost follows change (promise 8).
func TestOnlyWhatChangedIsWritten(t *testing.T) {
	s := &sent{there: map[string]bool{}}
	p := &Pages{Client: s}
	steps := []struct {
		reason string
		pages  []api.DriftReportStatus
		before func()
		want   []string
	}{
		{"pages that are not there are made", []api.DriftReportStatus{page("a"), page("b")}, nil, []string{"create DriftReport/web-0", "create DriftReport/web-1", "status DriftReport/web-0", "status DriftReport/web-1"}},
		{"the same again costs nothing", []api.DriftReportStatus{page("a"), page("b")}, nil, nil},
		{"one that changed is written alone", []api.DriftReportStatus{page("a"), page("c")}, nil, []string{"status DriftReport/web-1"}},
		{"fewer pages: the last goes", []api.DriftReportStatus{page("a")}, nil, []string{"delete DriftReport/web-1"}},
		{"and not twice", []api.DriftReportStatus{page("a")}, nil, nil},
		{"somebody changed a page: it is written anew", []api.DriftReportStatus{page("a")}, func() { p.Forget(client.ObjectKeyFromObject(shop)) }, []string{"status DriftReport/web-0"}},
		{"somebody deleted it: it is made anew", []api.DriftReportStatus{page("a")}, func() {
			p.Forget(client.ObjectKeyFromObject(shop))
			delete(s.there, "DriftReport/web-0")
		}, []string{"create DriftReport/web-0", "status DriftReport/web-0"}},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		if err := p.WriteReports(t.Context(), shop, step.pages); err != nil {
			t.Fatalf("%s: %v", step.reason, err)
		}
		if diff := cmp.Diff(step.want, s.take()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.reason, diff)
		}
	}
}

// TestWhatFailedIsTriedAgain: a page that was not written is not taken for one
// that was.
func TestWhatFailedIsTriedAgain(t *testing.T) {
	s := &sent{there: map[string]bool{"DriftReport/web-0": true}, fail: errors.New("the server is away")}
	p := &Pages{Client: s}
	p.written.put(book{app: client.ObjectKeyFromObject(shop), kind: reports}, "web-0", "of an earlier process")
	if err := p.WriteReports(t.Context(), shop, []api.DriftReportStatus{page("a")}); err == nil || !strings.Contains(err.Error(), "shop/web-0") {
		t.Fatalf("want an error that names the page, got %v", err)
	}
	s.fail = nil
	if err := p.WriteReports(t.Context(), shop, []api.DriftReportStatus{page("a")}); err != nil || len(s.log) != 1 {
		t.Errorf("want one write: %v %v", s.log, err)
	}
}

// TestPagesPointBack: a page goes with its Application, and is found by it.
func TestPagesPointBack(t *testing.T) {
	m := meta(shop, 3)
	if m.Name != "web-3" || m.Namespace != "shop" || m.Labels[contract.ApplicationLabel] != "web" || m.Labels[contract.PageLabel] != "3" {
		t.Errorf("%+v", m)
	}
	if o := m.OwnerReferences[0]; o.UID != "u1" || o.Kind != "Application" || o.Name != "web" || !*o.Controller {
		t.Errorf("%+v", o)
	}
}

// TestInventoryPagesByNumber: only pages that hold a changed object are built
// and written, but those that were never written are.
func TestInventoryPagesByNumber(t *testing.T) {
	s := &sent{there: map[string]bool{}}
	p := &Pages{Client: s}
	memory := inventory.Memory{}
	for i := range 200 {
		id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("c", i)}
		memory[id] = inventory.Entry{ID: id, UID: "u"}
	}
	write := func(only map[int]bool) []string {
		t.Helper()
		if err := p.WriteInventory(t.Context(), shop, memory, nil, only); err != nil {
			t.Fatal(err)
		}
		return s.take()
	}
	if got, want := len(write(map[int]bool{})), 2*memory.Count(); got != want {
		t.Errorf("what was never written is: want %d requests, got %d", want, got)
	}
	for id, e := range memory {
		e.UID = "other"
		memory[id] = e
	}
	if diff := cmp.Diff([]string{"status Inventory/web-0"}, write(map[int]bool{0: true})); diff != "" {
		t.Errorf("only what is named (-want +got):\n%s", diff)
	}
	if got, want := len(write(nil)), memory.Count()-1; got != want {
		t.Errorf("all that differ: want %d requests, got %d", want, got)
	}
}

func TestBooksAreKeptApart(t *testing.T) {
	web := types.NamespacedName{Namespace: "shop", Name: "web"}
	inventory, report := book{app: web, kind: inventories}, book{app: web, kind: reports}
	p := &Pages{}
	p.written.put(inventory, "web-0", "a")
	if p.written.digest(report, "web-0") != "" {
		t.Error("a page of the inventory is taken for one of the report")
	}
	p.Forget(web)
	if p.written.digest(inventory, "web-0") != forgotten {
		t.Error("what a forgotten page says is not known, but that it is there")
	}
	p.Drop(web)
	if len(p.written.books) != 0 {
		t.Errorf("nothing is kept of an application that is gone: %v", p.written.books)
	}
}

// TestAHoleHidesNoPage: pages are written and deleted side by side, so that a
// failure can leave any of them undone.
func TestAHoleHidesNoPage(t *testing.T) {
	web := client.ObjectKeyFromObject(shop)
	s := &sent{there: map[string]bool{}}
	p := &Pages{Client: s}
	for _, name := range []string{"web-0", "web-2", "web-5"} {
		s.there["DriftReport/"+name] = true
		p.written.put(book{app: web, kind: reports}, name, "of an earlier process")
	}
	s.fail = errors.New("the server is away")
	if err := p.WriteReports(t.Context(), shop, nil); err == nil {
		t.Fatal("pages that could not be deleted are not gone")
	}
	s.fail = nil
	p.Forget(web)
	if err := p.WriteReports(t.Context(), shop, []api.DriftReportStatus{page("a")}); err != nil {
		t.Fatal(err)
	}
	want := []string{"delete DriftReport/web-2", "delete DriftReport/web-5", "status DriftReport/web-0"}
	if diff := cmp.Diff(want, s.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
