// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	fluxconditions "github.com/fluxcd/pkg/runtime/conditions"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 7, time.UTC)

func application() *api.Application {
	return &api.Application{
		TypeMeta:   metav1.TypeMeta{APIVersion: "drift.holdfast.dev/v1alpha1", Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{Name: "users-api", Namespace: "users", Generation: 3},
	}
}

// compared is a comparison with objects of the given health.
func compared(s api.Summary, healths ...string) status.Facts {
	c := &status.Comparison{Summary: s}
	for i, health := range healths {
		c.Objects = append(c.Objects, drift.Object{
			ID: manifest.ID{Kind: "ConfigMap", Namespace: "users", Name: string(rune('a' + i))}, Health: drift.Health{Status: health},
		})
	}
	return status.Facts{Revision: "main@sha1:1", Digest: "sha256:1", Compared: c}
}

func halted(h *halt.Error) status.Facts { return status.Facts{Halt: h} }

// line is a condition in short: status and reason.
func line(list []metav1.Condition, kind string) string {
	c := meta.FindStatusCondition(list, kind)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}

func TestConditions(t *testing.T) {
	with := func(f status.Facts, change func(*status.Facts)) status.Facts {
		change(&f)
		return f
	}
	fine := compared(api.Summary{Objects: 2, InSync: 2}, "Current", "Current")
	stalled, waits, retries := halt.Stalledf("InvalidSpec", "spec.path is bad"), halt.Waitf("SourceNotReady", 0, "no artifact yet"), halt.Retryf("APIUnavailable", "refused")
	cases := map[string]struct {
		reason                         string
		facts                          status.Facts
		ready, synced, healthy, secret string
		reconciling, stalled           string
		words                          string // of Ready
	}{
		"all well": {"live is Git", fine, "True Succeeded", "True InSync", "True AllHealthy", "Unknown ReportMissing", "", "", "compared main@sha1:1"},
		"drifted":  {"the run did what it is there for", compared(api.Summary{Objects: 2, InSync: 1, Drifted: 1}, "Current"), "True Succeeded", "False Drifted", "True AllHealthy", "Unknown ReportMissing", "", "", ""},
		"missing":  {"declared and not there is not in sync", compared(api.Summary{Objects: 1, Missing: 1}, "NotFound"), "True Succeeded", "False Drifted", "False Unhealthy", "Unknown ReportMissing", "", "", ""},
		"removed":  {"there and not declared any more is not in sync", compared(api.Summary{Objects: 1, InSync: 1, Removed: 1}, "Current"), "True Succeeded", "False Drifted", "True AllHealthy", "Unknown ReportMissing", "", "", ""},
		"unknown":  {"one that was not judged is never green", compared(api.Summary{Objects: 2, InSync: 1, Unknown: 1}, "Current", "Unknown"), "True Succeeded", "Unknown ObjectsUnknown", "Unknown HealthUnknown", "Unknown ReportMissing", "", "", ""},
		"unknown and drifted": {
			"drift is certain, whatever else is not", compared(api.Summary{Objects: 2, Drifted: 1, Unknown: 1}, "Failed", "Unknown"), "True Succeeded", "False Drifted", "False Unhealthy", "Unknown ReportMissing", "", "", "",
		},
		"strays":      {"what is nobody's is counted apart", compared(api.Summary{Objects: 1, InSync: 1, Strays: 4}, "Current"), "True Succeeded", "True InSync", "True AllHealthy", "Unknown ReportMissing", "", "", ""},
		"progressing": {"not healthy yet is not healthy", compared(api.Summary{Objects: 1, InSync: 1}, "InProgress"), "True Succeeded", "True InSync", "False Progressing", "Unknown ReportMissing", "", "", ""},
		"suspended":   {"nothing is claimed while nothing is compared", status.Facts{Suspended: true}, "Unknown Suspended", "Unknown Suspended", "Unknown HealthUnknown", "Unknown ReportMissing", "", "", ""},
		"stalled":     {"only a change of the declaration helps", halted(stalled), "False InvalidSpec", "Unknown InvalidSpec", "Unknown HealthUnknown", "Unknown ReportMissing", "", "True InvalidSpec", "spec.path is bad. Objects keep their last verdict, nothing is pruned."},
		"waiting":     {"its source is not there yet", halted(waits), "False SourceNotReady", "Unknown SourceNotReady", "Unknown HealthUnknown", "Unknown ReportMissing", "True Progressing", "", "no artifact yet"},
		"retrying":    {"the API server was away", halted(retries), "False APIUnavailable", "Unknown APIUnavailable", "Unknown HealthUnknown", "Unknown ReportMissing", "True Progressing", "", "refused"},
		"halted after comparing": {
			"what was found still counts", with(compared(api.Summary{Objects: 1, Unknown: 1}, "Unknown"), func(f *status.Facts) { f.Halt = stalled }), "False InvalidSpec", "Unknown ObjectsUnknown", "Unknown HealthUnknown", "Unknown ReportMissing", "", "True InvalidSpec", "spec.path is bad",
		},
		"nothing at all": {"without a comparison nothing is claimed", status.Facts{}, "Unknown NotJudged", "Unknown NotJudged", "Unknown HealthUnknown", "Unknown ReportMissing", "", "", ""},
		"secrets pass":   {"the secrets-controller's own word", with(fine, func(f *status.Facts) { f.Secrets.Verdict = secrets.VerdictPass }), "True Succeeded", "True InSync", "True AllHealthy", "True DeclarationValid", "", "", ""},
		"secrets denied": {"its own word", with(fine, func(f *status.Facts) { f.Secrets.Verdict = secrets.VerdictDeny }), "True Succeeded", "True InSync", "True AllHealthy", "False DeclarationDenied", "", "", ""},
		"secrets unknown": {
			"unknown is not valid", with(fine, func(f *status.Facts) { f.Secrets.Verdict = secrets.VerdictUnknown }), "True Succeeded", "True InSync", "True AllHealthy", "Unknown ObjectsUnknown", "", "", "",
		},
		"gate off": {"what nobody asks for is not shown", with(fine, func(f *status.Facts) { f.Secrets.Gate = api.GateOff }), "True Succeeded", "True InSync", "True AllHealthy", "", "", "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// Every condition is there already, as the worst run left it.
			app := application()
			app.Status = status.Make(app, halted(stalled), now.Add(-time.Hour))
			list := status.Make(app, tc.facts, now).Conditions
			want := []string{tc.ready, tc.synced, tc.healthy, tc.secret, tc.reconciling, tc.stalled}
			var got []string
			for _, kind := range []string{contract.ReadyCondition, contract.SyncedCondition, contract.HealthyCondition, contract.SecretsValidCondition, contract.ReconcilingCondition, contract.StalledCondition} {
				got = append(got, line(list, kind))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: Ready, Synced, Healthy, SecretsValid, Reconciling, Stalled (-want +got):\n%s", tc.reason, diff)
			}
			if ready := meta.FindStatusCondition(list, contract.ReadyCondition); !strings.Contains(ready.Message, tc.words) {
				t.Errorf("%s: want Ready to say %q, got %q", tc.reason, tc.words, ready.Message)
			}
		})
	}
}

var reasonForm = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// TestInvariants: whatever happens after whatever, the conditions are such as
// Flux's own checks, kstatus and the API server's schema want them, and
// nothing is green that was not judged.
func TestInvariants(t *testing.T) {
	checker := check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{contract.StalledCondition, contract.ReconcilingCondition}})
	checker.DisableFetch = true
	r := rand.New(rand.NewPCG(1, 1))
	app := application()
	for step := range 5000 {
		facts := randomFacts(r)
		app.Generation += int64(r.IntN(2))
		app.Status = status.Make(app, facts, now.Add(time.Duration(step)*time.Minute))
		if fail, _ := checker.Check(t.Context(), app); fail != nil && !facts.Suspended && (facts.Halt != nil || facts.Compared != nil) {
			t.Fatalf("step %d, %+v: %v", step, facts, fail)
		}
		for _, c := range app.Status.Conditions {
			abnormal := c.Type == contract.StalledCondition || c.Type == contract.ReconcilingCondition
			if abnormal && c.Status != metav1.ConditionTrue || c.ObservedGeneration != app.Generation || !reasonForm.MatchString(c.Reason) || len(c.Message) > 32768 || c.LastTransitionTime.IsZero() {
				t.Fatalf("step %d, %+v: %+v", step, facts, c)
			}
		}
		neverGreen(t, app, facts)
		sameAsKstatus(t, app, facts)
	}
}

func randomFacts(r *rand.Rand) status.Facts {
	var f status.Facts
	if r.IntN(3) > 0 {
		n := func() int32 { return int32(max(r.IntN(6)-3, 0)) }
		healths := []string{"Current", "Current", "Current", "InProgress", "Failed", "Terminating", "NotFound", "Unknown"}
		s := api.Summary{InSync: n(), Drifted: n(), Missing: n(), Unknown: n(), Removed: n(), Strays: n()}
		s.Objects = s.InSync + s.Drifted + s.Missing + s.Unknown
		var list []string
		for range s.Objects {
			list = append(list, healths[r.IntN(len(healths))])
		}
		f = compared(s, list...)
	}
	switch r.IntN(6) {
	case 0:
		f.Halt = halt.Stalledf("InvalidSpec", "bad")
	case 1:
		f.Halt = halt.Waitf("SourceNotReady", time.Second, "%s", strings.Repeat("日", 50_000))
	case 2:
		f.Halt = status.Halted(errors.New("anything"), contract.ObservationReason)
	case 3:
		f = status.Facts{Suspended: true}
	}
	f.Secrets.Gate = []api.Gate{api.GateOff, api.GateWarn, api.GateEnforce}[r.IntN(3)]
	f.Secrets.Verdict = []secrets.Verdict{"", secrets.VerdictPass, secrets.VerdictDeny, secrets.VerdictUnknown}[r.IntN(4)]
	return f
}

// neverGreen is promise 2.
func neverGreen(t *testing.T, app *api.Application, f status.Facts) {
	t.Helper()
	green := func(kind string) bool { return meta.IsStatusConditionTrue(app.Status.Conditions, kind) }
	if f.Compared == nil && (green(contract.ReadyCondition) || green(contract.SyncedCondition) || green(contract.HealthyCondition)) {
		t.Fatalf("green without a comparison: %+v", app.Status.Conditions)
	}
	if f.Halt != nil && green(contract.ReadyCondition) {
		t.Fatalf("ready, and yet halted: %+v", app.Status.Conditions)
	}
	if f.Compared == nil {
		return
	}
	if s := f.Compared.Summary; green(contract.SyncedCondition) != (s.Drifted+s.Missing+s.Unknown+s.Removed == 0) {
		t.Fatalf("Synced is %s with %+v", line(app.Status.Conditions, contract.SyncedCondition), s)
	}
	for _, o := range f.Compared.Objects {
		if o.Health.Status != "Current" && green(contract.HealthyCondition) {
			t.Fatalf("healthy with an object that is %s", o.Health.Status)
		}
	}
}

// sameAsKstatus: kubectl wait and every tool that reads kstatus sees the same.
func sameAsKstatus(t *testing.T, app *api.Application, f status.Facts) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(app)
	if err != nil {
		t.Fatal(err)
	}
	got, err := kstatus.Compute(&unstructured.Unstructured{Object: content})
	if err != nil {
		t.Fatal(err)
	}
	want := kstatus.InProgressStatus
	switch {
	case f.Halt != nil && f.Halt.Kind == halt.Stalled:
		want = kstatus.FailedStatus
	case f.Halt == nil && f.Compared != nil:
		want = kstatus.CurrentStatus
	}
	if got.Status != want {
		t.Fatalf("want kstatus %s, got %s (%s): %+v", want, got.Status, got.Message, app.Status.Conditions)
	}
	if fluxconditions.IsReady(app) != (want == kstatus.CurrentStatus) {
		t.Fatalf("Ready and kstatus differ: %+v", app.Status.Conditions)
	}
}

// TestTransitionTimes: a condition that says the same keeps its time, however
// often it is said.
func TestTransitionTimes(t *testing.T) {
	app, fine := application(), compared(api.Summary{Objects: 1, InSync: 1}, "Current")
	app.Status = status.Make(app, fine, now)
	app.Status = status.Make(app, fine, now.Add(time.Hour))
	first := metav1.NewTime(now.Truncate(time.Second))
	for _, c := range app.Status.Conditions {
		if !c.LastTransitionTime.Equal(&first) {
			t.Errorf("%s: since %s, want %s", c.Type, c.LastTransitionTime, first)
		}
	}
	app.Status = status.Make(app, halted(halt.Retryf("APIUnavailable", "x")), now.Add(2*time.Hour))
	if c := meta.FindStatusCondition(app.Status.Conditions, contract.ReadyCondition); !c.LastTransitionTime.Equal(&metav1.Time{Time: first.Add(2 * time.Hour)}) {
		t.Errorf("Ready turned False and keeps the time %s", c.LastTransitionTime)
	}
}
