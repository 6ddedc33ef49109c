// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	eventv1 "github.com/fluxcd/pkg/apis/event/v1beta1"
	"github.com/fluxcd/pkg/runtime/events"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// edits are new entries, each with a value that belongs to nobody but the report.
func edits(paths ...string) []api.DriftEntry {
	value := &api.Value{JSON: `"hunter2"`}
	var fresh []api.DriftEntry
	for i, path := range paths {
		class := []api.Class{api.ClassManual, api.ClassMissing}[i%2]
		fresh = append(fresh, api.DriftEntry{
			Object: api.ObjectReference{Kind: "Deployment", Namespace: "shop", Name: "web"}, Path: path, Class: class,
			Wanted: value, Live: value, Managers: []api.FieldManager{{Name: "kubectl-edit"}}, Explanation: "hunter2",
		})
	}
	return fresh
}

// TestReceiver: what Flux's notification-controller is sent, as it reads it.
func TestReceiver(t *testing.T) {
	group := api.GroupVersion.Group + "/"
	known := map[string]string{group + "revision": "main@sha1:1", group + "stage": "SelfHeal"}
	for name, c := range map[string]struct {
		why   string
		fresh []api.DriftEntry
		want  map[string]string
	}{
		"one": {"class and field, no value", edits("/spec/replicas"), map[string]string{
			"class": "Manual", "fields": "Deployment shop/web/spec/replicas",
		}},
		"two classes": {"each class once", edits("/spec/a", "", "/spec/b"), map[string]string{
			"class": "Manual,Missing", "fields": "Deployment shop/web; Deployment shop/web/spec/a; Deployment shop/web/spec/b",
		}},
		"many": {"an event stays small", edits("/a", "/b", "/c", "/d", "/e", "/f", "/g"), map[string]string{
			"class":  "Manual,Missing",
			"fields": "Deployment shop/web/a; Deployment shop/web/b; Deployment shop/web/c; Deployment shop/web/d; Deployment shop/web/e; and 2 more",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]string{}
			for key, v := range known {
				want[key] = v
			}
			for key, v := range c.want {
				want[group+key] = v
			}
			body := announced(t, c.fresh)
			var got eventv1.Event
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatalf("not an event of Flux's: %v: %s", err, body)
			}
			if diff := cmp.Diff(want, got.Metadata); diff != "" {
				t.Errorf("%s: metadata (-want +got):\n%s", c.why, diff)
			}
			told := fmt.Sprint(got.InvolvedObject.APIVersion, " ", got.InvolvedObject.Kind, " ", got.InvolvedObject.Name, " ", got.Severity, " ", got.Reason, " ", got.ReportingController)
			if told != "drift.holdfast.dev/v1alpha1 Application users error DriftDetected holdfast" {
				t.Errorf("the event is about %s", told)
			}
			if strings.Contains(string(body), "hunter2") {
				t.Errorf("a value left the report: %s", body)
			}
		})
	}
}

// announced sends the news to a receiver and gives what arrived.
func announced(t *testing.T, fresh []api.DriftEntry) []byte {
	t.Helper()
	bodies := make(chan []byte, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && r.Method == http.MethodPost {
			bodies <- body
		}
	}))
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := events.NewRecorderForScheme(scheme, &record.FakeRecorder{}, ctrl.Log, receiver.URL, "holdfast")
	if err != nil {
		t.Fatal(err)
	}
	app := &api.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users"}}
	app.Status = api.ApplicationStatus{
		Stage: api.StageStatus{Effective: api.StageSelfHeal}, Compared: &api.Compared{Revision: "main@sha1:1"},
		Conditions: []metav1.Condition{{Type: contract.SyncedCondition, Status: metav1.ConditionFalse, Reason: contract.DriftedReason}},
	}
	(&Reconciler{Events: recorder}).announce(app, app, &application{last: lastReport{fresh: fresh}})
	receiver.Close()
	if len(bodies) != 1 {
		t.Fatalf("the receiver got %d events, want 1", len(bodies))
	}
	return <-bodies
}
