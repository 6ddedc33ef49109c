// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read writes lines as a log and reads it.
func read(t *testing.T, content string) ([]Event, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(path)
}

// scale is an event as kube-apiserver 1.36.3 writes it, shortened.
const scale = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a1","stage":"ResponseComplete",` +
	`"requestURI":"/apis/apps/v1/namespaces/shop/deployments/web/scale?dryRun=All\u0026fieldManager=tests","verb":"patch",` +
	`"user":{"username":"bob","groups":["system:authenticated"]},"impersonatedUser":{"username":"system:serviceaccount:shop:deployer"},` +
	`"sourceIPs":["127.0.0.1"],"userAgent":"cluster.test/v0.0.0","objectRef":{"resource":"deployments","namespace":"shop","name":"web",` +
	`"apiGroup":"apps","apiVersion":"v1","subresource":"scale"},"responseStatus":{"metadata":{},"code":200},` +
	`"requestReceivedTimestamp":"2026-03-01T10:00:00.000001Z","stageTimestamp":"2026-03-01T10:00:00.250000Z"}` + "\n"

func TestReadKeepsWhatAProofNeeds(t *testing.T) {
	got, err := read(t, scale)
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{{
		ID: "a1", User: "bob", ImpersonatedUser: "system:serviceaccount:shop:deployer", UserAgent: "cluster.test/v0.0.0",
		Verb:       "patch",
		Object:     Object{Group: "apps", Version: "v1", Resource: "deployments", Subresource: "scale", Namespace: "shop", Name: "web"},
		RequestURI: "/apis/apps/v1/namespaces/shop/deployments/web/scale?dryRun=All&fieldManager=tests",
		DryRun:     true, Code: 200,
		Received:  time.Date(2026, 3, 1, 10, 0, 0, 1000, time.UTC),
		Completed: time.Date(2026, 3, 1, 10, 0, 0, 250000000, time.UTC),
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("event (-want +got):\n%s", diff)
	}
	if got[0].FieldManager() != "tests" || got[0].Actor() != "system:serviceaccount:shop:deployer" {
		t.Errorf("field manager %q, actor %q", got[0].FieldManager(), got[0].Actor())
	}
	const line = "10:00:00.000 bob as system:serviceaccount:shop:deployer: patch deployments/scale.apps shop/web (dry run): 200"
	if diff := cmp.Diff(line, got[0].String()); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestReadSkipsAndRefuses(t *testing.T) {
	logs := map[string]struct {
		content string
		events  int
		err     error
		reason  string
	}{
		"empty":         {content: "", reason: "a server that has answered nothing"},
		"other stages":  {content: `{"stage":"RequestReceived","verb":"get"}` + "\n" + `{"stage":"Panic"}` + "\n", reason: "one request, one event"},
		"being written": {content: scale + `{"stage":"ResponseComplete","ver`, events: 1, reason: "the end of the line is still to come"},
		"malformed":     {content: `{"stage":"ResponseComplete",}` + "\n", err: ErrMalformed, reason: "a line that can't be read might be a write"},
		"no objectRef":  {content: `{"stage":"ResponseComplete","requestURI":"/readyz","verb":"get"}` + "\n", events: 1, reason: "a request outside the API's objects"},
		"stage in a value": {
			content: `{"stage":"ResponseStarted","requestURI":"/x?y=\"ResponseComplete\"","userAgent":"ResponseComplete"}` + "\n",
			reason:  "the word alone is not the stage",
		},
	}
	for name, log := range logs {
		t.Run(name, func(t *testing.T) {
			events, err := read(t, log.content)
			if !errors.Is(err, log.err) || len(events) != log.events {
				t.Errorf("%d events, error %v; want %d, %v: %s", len(events), err, log.events, log.err, log.reason)
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no log: %v, want %v: an absent log proves nothing", err, os.ErrNotExist)
	}
}

func TestDryRunOfADeleteIsInItsBody(t *testing.T) {
	bodies := map[string]struct {
		verb, body string
		dry        bool
		reason     string
	}{
		"level Metadata": {verb: "delete", body: ``, reason: "no body: it counts as a real delete"},
		"real":           {verb: "delete", body: `,"requestObject":{"kind":"DeleteOptions"}`, reason: "no dryRun in it"},
		"dry":            {verb: "delete", body: `,"requestObject":{"kind":"DeleteOptions","dryRun":["All"]}`, dry: true, reason: "asked for in the body"},
		"dry collection": {verb: "deletecollection", body: `,"requestObject":{"dryRun":["All"]}`, dry: true, reason: "as for one"},
		"field of that name": {verb: "create", body: `,"requestObject":{"kind":"Trial","dryRun":["All"]}`,
			reason: "a created object may have a field dryRun, which is no option"},
		"other shape": {verb: "delete", body: `,"requestObject":{"dryRun":"All"}`, reason: "no DeleteOptions"},
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			events, err := read(t, `{"stage":"ResponseComplete","requestURI":"/api/v1/x","verb":"`+body.verb+`"`+body.body+"}\n")
			if err != nil {
				t.Fatal(err)
			}
			if events[0].DryRun != body.dry {
				t.Errorf("dry run %t, want %t: %s", events[0].DryRun, body.dry, body.reason)
			}
		})
	}
}

func TestPersisting(t *testing.T) {
	events := map[string]struct {
		event  Event
		want   bool
		reason string
	}{
		"read":        {Event{Verb: "watch"}, false, "nothing is stored"},
		"patch":       {Event{Verb: "patch", Code: 200}, true, "a write"},
		"refused":     {Event{Verb: "delete", Code: 403}, true, "a promise not to write is broken by asking"},
		"dry":         {Event{Verb: "update", DryRun: true}, false, "a question"},
		"review":      {Event{Verb: "create", Object: Object{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}}, false, "reviews are never stored"},
		"token":       {Event{Verb: "create", Object: Object{Resource: "serviceaccounts", Subresource: "token"}}, false, "tokens are never stored"},
		"account":     {Event{Verb: "create", Object: Object{Resource: "serviceaccounts"}}, true, "the account itself is"},
		"status":      {Event{Verb: "patch", Object: Object{Resource: "pods", Subresource: "status"}}, true, "a subresource is stored with its object"},
		"impersonate": {Event{Verb: "impersonate"}, false, "a right and no request"},
	}
	for name, event := range events {
		t.Run(name, func(t *testing.T) {
			if got := event.event.IsPersisting(); got != event.want {
				t.Errorf("persisting %t, want %t: %s", got, event.want, event.reason)
			}
		})
	}
}

func TestSelectNeedsEveryMatch(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	events := []Event{
		{ID: "early", User: "bob", Received: noon.Add(-time.Nanosecond)},
		{ID: "at", User: "bob", Received: noon},
		{ID: "other", User: "carol", Received: noon},
		{ID: "acting", User: "carol", ImpersonatedUser: "bob", Received: noon},
	}
	var got []string
	for _, event := range Select(events, ByActor("bob"), Since(noon)) {
		got = append(got, event.ID)
	}
	if diff := cmp.Diff([]string{"at", "acting"}, got); diff != "" {
		t.Errorf("selected (-want +got):\n%s", diff)
	}
	if all := Select(events); len(all) != len(events) {
		t.Errorf("no match selects %d events, want all %d", len(all), len(events))
	}
}

// TestLogGoesOn: a log that grows is read from where it stopped, and a line that
// was half written is read whole.
func TestLogGoesOn(t *testing.T) {
	event := func(id string) string {
		return `{"auditID":"` + id + `","stage":"ResponseComplete","verb":"get","user":{"username":"anna"}}` + "\n"
	}
	path := filepath.Join(t.TempDir(), "audit.log")
	log := &Log{Path: path}
	steps := []struct{ reason, add, want string }{
		{"two lines", event("a") + event("b"), "ab"},
		{"nothing new", "", "ab"},
		{"a half line is left", event("c") + event("d")[:20], "abc"},
		{"and read whole", event("d")[20:], "abcd"},
	}
	for _, step := range steps {
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(step.add); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		events, err := log.Read()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range events {
			got += e.ID
		}
		if got != step.want {
			t.Errorf("%s: want %s, got %s", step.reason, step.want, got)
		}
	}
}
