// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// TestObserveWritesNothing stands in the last file, so that the audit log it
// reads is that of all tests before it: kills, refusals and secrets included.
func TestObserveWritesNothing(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	if !readsAuditLog(t, s) {
		return
	}
	push(t, s, "web", files{"deploy/web.yaml": web})
	deploy(t, s, "helm", web)
	deploy(t, s, "kubectl-edit", "{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {DB_HOST: other, LEVEL: info}}")
	must(t, s.Declare(t.Context(), "web", "deploy", nil))
	must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "False", Reason: "Drifted"}))

	sent, err := s.Sent(t.Context())
	must(t, err)
	for _, write := range sent.Foreign {
		t.Errorf("not one of Holdfast's own objects, and written: %s", write)
	}
	// Without these the log would prove nothing.
	if sent.Reads == 0 || sent.DryRuns == 0 || sent.Own == 0 {
		t.Errorf("want reads and dry runs as the observer, and statuses written; got %d, %d, %d", sent.Reads, sent.DryRuns, sent.Own)
	}
	t.Logf("%d reads and %d dry runs as observers, %d writes to our own objects, %d to others", sent.Reads, sent.DryRuns, sent.Own, len(sent.Foreign))
}
