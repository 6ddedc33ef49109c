// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	eventv1 "github.com/fluxcd/pkg/apis/event/v1beta1"

	"github.com/holdfast-gitops/holdfast/tests/lab"
)

const secretMap = `apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {password: %s}
`

// TestEvents: what a receiver of Flux's events reads of an edit, from the moment
// that it is seen to the one that it is reverted.
func TestEvents(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	push(t, s, "first", files{"app/env.yaml": fmt.Sprintf(envMap, "a") + "---\n" + fmt.Sprintf(secretMap, "hunter2-of-git")})
	must(t, s.Project(t.Context(), nil))
	deploy(t, s, "helm", fmt.Sprintf(envMap, "a")+"---\n"+fmt.Sprintf(secretMap, "hunter2-of-git"))
	must(t, s.Declare(t.Context(), "web", "app", []byte("project: "+s.Namespace+"\nstage: SelfHeal\nidentity: {observe: observer, apply: deployer}")))
	must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "True"}))
	denied := awaitEvent(t, s, "DeclarationDeny")
	expect(t, denied, "secrets-controller", map[string]string{
		"secrets.holdfast.dev/gate": "Declaration", "secrets.holdfast.dev/verdict": "Deny", "drift.holdfast.dev/revision": "main@sha1:" + s.Commit,
	})
	deploy(t, s, "kubectl-edit", fmt.Sprintf(envMap, "edited")+"---\n"+fmt.Sprintf(secretMap, "hunter2-of-a-hand"))
	seen := awaitEvent(t, s, "DriftDetected")
	expect(t, seen, "drift-controller", map[string]string{
		"drift.holdfast.dev/class": "Manual", "drift.holdfast.dev/stage": "SelfHeal", "drift.holdfast.dev/revision": "main@sha1:" + s.Commit,
	})
	if fields := seen.Metadata["drift.holdfast.dev/fields"]; !strings.Contains(fields, "ConfigMap "+s.Namespace+"/env/data/HOST") &&
		!strings.Contains(fields, "Secret "+s.Namespace+"/db/data/password") {
		t.Errorf("fields: %q name neither edit", fields)
	}
	healed := awaitEvent(t, s, "Healed")
	expect(t, healed, "drift-controller", map[string]string{"drift.holdfast.dev/stage": "SelfHeal"})
	must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "True"}))
	all, err := json.Marshal(s.Events.Events("Application", s.Namespace, "web"))
	must(t, err)
	for _, value := range []string{"hunter2", "aHVudGVyMi1", "edited"} {
		if strings.Contains(string(all), value) {
			t.Errorf("a value left the cluster: %s", all)
		}
	}
}

// awaitEvent waits for an event about the Application web.
func awaitEvent(t *testing.T, s *lab.Space, reason string) eventv1.Event {
	t.Helper()
	var found eventv1.Event
	until(t, func(context.Context) error {
		all := s.Events.Events("Application", s.Namespace, "web")
		at := slices.IndexFunc(all, func(e eventv1.Event) bool { return e.Reason == reason })
		if at < 0 {
			return fmt.Errorf("no event %s among %d: %v", reason, len(all), all)
		}
		found = all[at]
		return nil
	})
	return found
}

func expect(t *testing.T, e eventv1.Event, controller string, metadata map[string]string) {
	t.Helper()
	if e.ReportingController != controller || e.InvolvedObject.APIVersion != "drift.holdfast.dev/v1alpha1" || e.Timestamp.IsZero() {
		t.Errorf("event %s is from %s about %v at %v", e.Reason, e.ReportingController, e.InvolvedObject, e.Timestamp)
	}
	for key, want := range metadata {
		if got := e.Metadata[key]; got != want {
			t.Errorf("event %s: metadata %s is %q, want %q (all: %v)", e.Reason, key, got, want, e.Metadata)
		}
	}
}
