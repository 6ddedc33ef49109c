// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// settings are maps that stay as Git has them, one that is edited by hand, one
// that Git moves on from, and one that is edited while nobody looks.
func settings(moving string) string {
	text := ""
	for _, name := range []string{"calm-1", "calm-2", "calm-3", "edited", "later"} {
		text += configMap(name, "value")
	}
	return text + configMap("moving", moving)
}

func configMap(name, value string) string {
	return fmt.Sprintf("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {KEY: %s}}\n", name, value)
}

// TestKilledController: what it knew is in the cluster. After a restart the
// verdict has never been another, first seen stays first seen, a field that Git
// moved on from is still known as such, and what was in sync is not read again.
func TestKilledController(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	if !readsAuditLog(t, s) {
		return
	}
	push(t, s, "one", files{"app/settings.yaml": settings("value")})
	deploy(t, s, "helm", settings("value"))
	must(t, s.Declare(t.Context(), "app", "app", nil))
	must(t, s.Await(t.Context(), "app", lab.Condition{Type: "Synced", Status: "True"}))

	deploy(t, s, "kubectl-edit", configMap("edited", "by-hand"))
	push(t, s, "two", files{"app/settings.yaml": settings("next")})
	before := entriesOf(t, s, "edited Manual", "moving Pending")

	remembered, err := s.Application(t.Context(), "app")
	must(t, err)
	s.Controllers.Kill(holdfast.Drift)
	killed := time.Now()
	deploy(t, s, "kubectl-edit", configMap("later", "unseen"))
	must(t, s.Controllers.Start(t.Context(), holdfast.Drift))
	after := entriesOf(t, s, "edited Manual", "later Manual", "moving Pending")

	must(t, s.Unmoved(t.Context(), remembered, "Synced"))
	must(t, s.Unmoved(t.Context(), remembered, "Ready"))
	seen := s.FirstSeen(after)
	for key, first := range s.FirstSeen(before) {
		if again := seen[key]; !again.Equal(&first) {
			t.Errorf("%s was first seen at %s, after the restart at %s", key, first, again)
		}
	}
	events, err := s.Cluster.Audit(t.Context())
	must(t, err)
	read := map[string]int{}
	for _, e := range audit.Select(events, audit.Since(killed), audit.InNamespace(s.Namespace),
		audit.ByUser(holdfast.Account(holdfast.Drift)), audit.OfResource("", "configmaps")) {
		if e.Verb == "get" || e.IsWrite() {
			read[e.Object.Name]++
		}
	}
	if read["later"] == 0 {
		t.Errorf("the changed object was not read, so the audit log proves nothing: %v", read)
	}
	for name, count := range read {
		if strings.HasPrefix(name, "calm-") {
			t.Errorf("ConfigMap %s was in sync before the restart, and is read %d times after it", name, count)
		}
	}
}

// entriesOf waits until the report has exactly these entries, as name and class.
func entriesOf(t *testing.T, s *lab.Space, want ...string) []api.DriftEntry {
	t.Helper()
	var entries []api.DriftEntry
	until(t, func(ctx context.Context) (err error) {
		if entries, err = s.Entries(ctx, "app"); err != nil {
			return err
		}
		var got []string
		for _, e := range entries {
			if e.Drift {
				got = append(got, e.Object.Name+" "+string(e.Class))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("entries (-want +got):\n%s%s", diff, s.ReportText(entries))
		}
		return nil
	})
	return entries
}
