// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// crowd is so many ConfigMaps that the inventory takes several pages.
const crowd = 150

// TestBurst proves from the audit log what a burst of hand edits costs: the
// status is written once at once, then once a second at most, and of the pages
// only those that hold an edited object are written, once with each status.
func TestBurst(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	declared := crowdOf(crowd)
	deploy(t, s, "helm", declared)
	push(t, s, "a crowd", files{"app/crowd.yaml": declared})
	must(t, s.Declare(t.Context(), "crowd", "app", nil))
	must(t, s.Await(t.Context(), "crowd", lab.Condition{Type: contract.SyncedCondition, Status: "True"}))
	settle(t, s, "crowd")
	pages := inventoryOf(t, s)
	if len(pages) < 3 {
		t.Fatalf("%d objects on %d pages: too few to tell changed pages from others", crowd, len(pages))
	}
	edited := pages[0]

	began := time.Now()
	for _, entry := range edited.Status.Objects {
		editByHand(t, s, entry.Object.Name)
	}
	took := time.Since(began)
	until(t, func(ctx context.Context) error { return drifted(ctx, s, len(edited.Status.Objects)) })
	settle(t, s, "crowd")
	if !readsAuditLog(t, s) {
		return
	}
	written := writesSince(t, s, began)
	statuses := written["applications crowd"]
	if most := 2 + int(took/time.Second); len(statuses) < 1 || len(statuses) > most {
		t.Errorf("%d edits in %s: want 1 to %d status writes, got %d:\n%s", len(edited.Status.Objects), took, most, len(statuses), lines(statuses))
	}
	for i := 1; i < len(statuses); i++ {
		// A request is received a little before its answer, from which the second counts.
		if gap := statuses[i].Received.Sub(statuses[i-1].Received); gap < 900*time.Millisecond {
			t.Errorf("two status writes within %s; news after the first is gathered for a second:\n%s", gap, lines(statuses))
		}
	}
	for what, events := range written {
		kind, page, _ := strings.Cut(what, " ")
		switch {
		case kind == "inventories" && page != edited.Name:
			t.Errorf("page %s holds no object that changed, and was written:\n%s", page, lines(events))
		case len(events) > len(statuses):
			t.Errorf("%s was written %d times with %d statuses:\n%s", what, len(events), len(statuses), lines(events))
		}
	}
	for _, what := range []string{"inventories " + edited.Name, "driftreports crowd-0"} {
		if len(written[what]) == 0 {
			t.Errorf("%s tells of the edits and was not written", what)
		}
	}
}

func crowdOf(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: member-%03d}\ndata: {LEVEL: info}\n", i)
	}
	return text.String()
}

func inventoryOf(t *testing.T, s *lab.Space) []api.Inventory {
	t.Helper()
	var list api.InventoryList
	must(t, s.Client.List(t.Context(), &list, client.InNamespace(s.Namespace)))
	slices.SortFunc(list.Items, func(a, b api.Inventory) int { return strings.Compare(a.Name, b.Name) })
	return list.Items
}

func editByHand(t *testing.T, s *lab.Space, name string) {
	t.Helper()
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"data":{"LEVEL":"debug"}}`))
	must(t, s.Client.Patch(t.Context(), o, patch, client.FieldOwner("kubectl-edit")))
}

func drifted(ctx context.Context, s *lab.Space, want int) error {
	app, err := s.Application(ctx, "crowd")
	if err != nil {
		return err
	}
	if n := app.Status.Summary; n == nil || int(n.Drifted) != want {
		return fmt.Errorf("want %d drifted, have:\n%s", want, s.StatusText(app))
	}
	return nil
}

// settle waits until the Application has not been written for two seconds.
func settle(t *testing.T, s *lab.Space, name string) {
	t.Helper()
	version, since := "", time.Now()
	until(t, func(ctx context.Context) error {
		app, err := s.Application(ctx, name)
		if err != nil {
			return err
		}
		if app.ResourceVersion != version {
			version, since = app.ResourceVersion, time.Now()
		}
		if quiet := time.Since(since); quiet < 2*time.Second {
			return fmt.Errorf("it was written %s ago", quiet)
		}
		return nil
	})
}

// writesSince lists what the drift-controller wrote in the namespace, by
// resource and name, each in the order of time.
func writesSince(t *testing.T, s *lab.Space, began time.Time) map[string][]audit.Event {
	t.Helper()
	events, err := s.Cluster.Audit(t.Context())
	must(t, err)
	written := map[string][]audit.Event{}
	for _, e := range audit.Select(events, audit.ByUser(holdfast.Account(holdfast.Drift)), audit.InNamespace(s.Namespace), audit.Persisting, audit.Since(began)) {
		if e.Object.Group == api.GroupVersion.Group {
			what := e.Object.Resource + " " + e.Object.Name
			written[what] = append(written[what], e)
		}
	}
	return written
}

func lines(events []audit.Event) string {
	var text strings.Builder
	for _, e := range events {
		text.WriteString(e.String() + "\n")
	}
	return text.String()
}
