// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
)

func at(d time.Duration) metav1.Time { return metav1.NewTime(now.Truncate(time.Second).Add(d)) }

func TestCompared(t *testing.T) {
	cases := map[string]struct {
		reason   string
		interval *metav1.Duration
		valid    time.Duration
	}{
		"default": {"an hour between comparisons: one may be missed", nil, 150 * time.Minute},
		"short":   {"a minute at least for a slow one", &metav1.Duration{Duration: 10 * time.Second}, 80 * time.Second},
		"long":    {"half of it for a slow one", &metav1.Duration{Duration: 24 * time.Hour}, 60 * time.Hour},
		"zero":    {"no interval is the default", &metav1.Duration{}, 150 * time.Minute},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := application()
			app.Spec.Interval = tc.interval
			want := &api.Compared{Revision: "main@sha1:1", Digest: "sha256:1", Time: at(0), ValidUntil: at(tc.valid)}
			got := status.Make(app, compared(api.Summary{}), now)
			if diff := cmp.Diff(want, got.Compared); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHaltKeepsTheVerdict: what was found last stays, with the time at which
// it was found: it grows stale by itself.
func TestHaltKeepsTheVerdict(t *testing.T) {
	app := application()
	facts := compared(api.Summary{Objects: 2, Drifted: 2}, "Current")
	facts.Rendered = &api.Rendered{URL: "http://x", Digest: "sha256:2", Revision: "main@sha1:1"}
	facts.Compared.Ignore = []api.IgnoreRuleStatus{{Rule: 0, Hidden: 1}}
	app.Status = status.Make(app, facts, now)
	for name, f := range map[string]status.Facts{"halted": halted(halt.Retryf("APIUnavailable", "x")), "suspended": {Suspended: true}} {
		next := status.Make(app, f, now.Add(time.Hour))
		if !cmp.Equal(next.Compared, app.Status.Compared) || !cmp.Equal(next.Summary, app.Status.Summary) || !cmp.Equal(next.Rendered, app.Status.Rendered) ||
			!cmp.Equal(next.History, app.Status.History) || !cmp.Equal(next.IgnoreRules, app.Status.IgnoreRules) {
			t.Errorf("%s: the last verdict is gone: %+v", name, next)
		}
	}
	before := app.DeepCopy()
	status.Make(app, compared(api.Summary{Objects: 1}), now.Add(time.Hour))
	if diff := cmp.Diff(before, app); diff != "" {
		t.Errorf("the Application that was read has changed:\n%s", diff)
	}
}

func TestHistory(t *testing.T) {
	app := application()
	for i := range 14 {
		f := compared(api.Summary{Objects: 1, Drifted: int32(i)})
		f.Revision, f.Digest = fmt.Sprint("r", i/2), fmt.Sprint("d", i/2)
		app.Status = status.Make(app, f, now.Add(time.Duration(i)*time.Hour))
	}
	got := app.Status.History
	if len(got) != 7 || got[0].Revision != "r6" || got[6].Revision != "r0" {
		t.Fatalf("one entry a revision, the newest first: %+v", got)
	}
	if want := (api.HistoryEntry{Revision: "r6", Digest: "d6", Time: at(12 * time.Hour), Drifted: 13}); !cmp.Equal(got[0], want) {
		t.Errorf("it has the time of the first and the counts of the last: want %+v, got %+v", want, got[0])
	}
	for i := range 9 {
		f := compared(api.Summary{})
		f.Digest = fmt.Sprint("more", i)
		app.Status = status.Make(app, f, now)
	}
	if len(app.Status.History) != 10 {
		t.Errorf("the schema takes ten, got %d", len(app.Status.History))
	}
}

func TestStage(t *testing.T) {
	app := application()
	facts := status.Facts{Stage: status.Stage{Effective: api.StageObserve, Ceiling: api.StageSelfHeal, HeldBy: "rollout"}}
	app.Status = status.Make(app, facts, now)
	first := at(0)
	if diff := cmp.Diff(api.StageStatus{Effective: api.StageObserve, Ceiling: api.StageSelfHeal, HeldBy: "rollout", Since: &first}, app.Status.Stage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	facts.Stage.HeldBy = "Project"
	if next := status.Make(app, facts, now.Add(time.Hour)); !next.Stage.Since.Equal(&first) || next.Stage.HeldBy != "Project" {
		t.Errorf("the same stage, held by another: %+v", next.Stage)
	}
	facts.Stage.Effective = api.StageSync
	later := at(time.Hour)
	if next := status.Make(app, facts, now.Add(time.Hour)); !next.Stage.Since.Equal(&later) {
		t.Errorf("another stage has its own time: %+v", next.Stage)
	}
}

func TestNotes(t *testing.T) {
	facts := compared(api.Summary{})
	facts.Incomplete, facts.Notes = []string{"metrics.k8s.io does not answer"}, []string{"hook x is not run"}
	facts.Compared.Objects = []drift.Object{{Findings: []string{".spec.foo: field not declared in schema"}}}
	got := status.Make(application(), facts, now).Notes
	if len(got) != 3 || got[0] != "metrics.k8s.io does not answer" || got[1] != "hook x is not run" {
		t.Errorf("what proves nothing comes first: %q", got)
	}
	for i := range 100 {
		facts.Notes = append(facts.Notes, fmt.Sprint(i))
	}
	got = status.Make(application(), facts, now).Notes
	if len(got) != 50 || got[0] != "metrics.k8s.io does not answer" || got[49] != "and more: see the controller's log" {
		t.Errorf("the schema takes fifty, and the last one says that there are more: %d, %q", len(got), got[len(got)-1])
	}
}

func TestRequestedAt(t *testing.T) {
	app := application()
	if got := status.Make(app, compared(api.Summary{}), now); got.LastHandledReconcileAt != "" {
		t.Errorf("nobody asked: %q", got.LastHandledReconcileAt)
	}
	app.Annotations = map[string]string{contract.RequestedAtAnnotation: "token"}
	for name, f := range map[string]status.Facts{"compared": compared(api.Summary{}), "halted": halted(halt.Stalledf("InvalidSpec", "x"))} {
		if got := status.Make(app, f, now); got.LastHandledReconcileAt != "token" {
			t.Errorf("%s: the token was served, whatever came of it: %q", name, got.LastHandledReconcileAt)
		}
	}
}

// TestSame: a comparison that finds the same need not be written each time.
func TestSame(t *testing.T) {
	app := application()
	fine := compared(api.Summary{Objects: 1, InSync: 1}, "Current")
	app.Status = status.Make(app, fine, now)
	if next := status.Make(app, fine, now.Add(time.Minute)); !status.Same(app.Status, next) {
		t.Errorf("only time has passed:\n%s", cmp.Diff(app.Status, next))
	}
	drifted := compared(api.Summary{Objects: 1, Drifted: 1}, "Current")
	app.Generation++
	for name, next := range map[string]api.ApplicationStatus{
		"a verdict":    status.Make(app, drifted, now),
		"a generation": status.Make(app, fine, now),
		"a halt":       status.Make(app, halted(halt.Retryf("x", "y")), now),
	} {
		if status.Same(app.Status, next) {
			t.Errorf("a reader would notice %s", name)
		}
	}
}

func TestHalted(t *testing.T) {
	stalled := halt.Stalledf("InvalidSpec", "bad")
	cases := map[string]struct {
		reason string
		err    error
		kind   halt.Kind
		why    string
	}{
		"a halt":    {"it is one", stalled, halt.Stalled, "InvalidSpec"},
		"in a wrap": {"whoever wraps it says where, not what", fmt.Errorf("rendering: %w", stalled), halt.Stalled, "InvalidSpec"},
		"any other": {"what nobody thought of is tried again", errors.New("x"), halt.Retry, "Fallback"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := status.Halted(tc.err, "Fallback")
			if h == nil || h.Kind != tc.kind || h.Reason != tc.why {
				t.Errorf("%s: want %s %s, got %+v", tc.reason, tc.kind, tc.why, h)
			}
		})
	}
	if h := status.Halted(nil, "Fallback"); h != nil {
		t.Errorf("no error is no halt: %v", h)
	}
}
