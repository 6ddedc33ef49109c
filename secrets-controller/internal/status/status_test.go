// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

var at = metav1.NewTime(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))

func observed(digest string) Observation {
	return Observation{Rendered: driftv1.Rendered{Digest: digest, Revision: "main@sha1:abc"}, Time: at}
}

func found(severity secretsv1.Severity, gate secretsv1.FindingGate) finding.Finding {
	return finding.Finding{
		Rule: "store-missing", Severity: severity, Gate: gate, Message: "there is no store",
		Object: secretsv1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "shop", Name: "db"},
	}
}

func TestVerdicts(t *testing.T) {
	const (
		declaration = secretsv1.GateDeclaration
		readiness   = secretsv1.GateReadiness
	)
	for name, tc := range map[string]struct {
		reason      string
		result      rule.Result
		declaration secretsv1.Verdict
		readiness   secretsv1.Verdict
	}{
		"Nothing": {
			reason:      "no finding and everything read",
			declaration: secretsv1.VerdictPass, readiness: secretsv1.VerdictPass,
		},
		"Warning": {
			reason:      "a warning keeps the gate open",
			result:      rule.Result{Findings: []finding.Finding{found(secretsv1.SeverityWarning, declaration)}},
			declaration: secretsv1.VerdictPass, readiness: secretsv1.VerdictPass,
		},
		"Error": {
			reason:      "an error denies its own gate only",
			result:      rule.Result{Findings: []finding.Finding{found(secretsv1.SeverityError, readiness)}},
			declaration: secretsv1.VerdictPass, readiness: secretsv1.VerdictDeny,
		},
		"Unknown": {
			reason:      "what cannot be decided is no pass",
			result:      rule.Result{Findings: []finding.Finding{found(secretsv1.SeverityUnknown, declaration)}},
			declaration: secretsv1.VerdictUnknown, readiness: secretsv1.VerdictPass,
		},
		"ErrorBesideUnknown": {
			reason: "more knowledge does not take an error away",
			result: rule.Result{Findings: []finding.Finding{
				found(secretsv1.SeverityError, declaration), found(secretsv1.SeverityUnknown, declaration),
			}},
			declaration: secretsv1.VerdictDeny, readiness: secretsv1.VerdictPass,
		},
		"Unread": {
			reason:      "a kind that was not read leaves readiness open",
			result:      rule.Result{Unread: []string{"stores were not read: Forbidden"}},
			declaration: secretsv1.VerdictPass, readiness: secretsv1.VerdictUnknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			page := Pages(observed("sha256:1"), tc.result)[0]
			got := []secretsv1.Verdict{page.Declaration.Verdict, page.Readiness.Verdict}
			want := []secretsv1.Verdict{tc.declaration, tc.readiness}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPagesStayBelowTheirSize(t *testing.T) {
	var findings []finding.Finding
	for i := range 1200 {
		f := found(secretsv1.SeverityError, secretsv1.GateDeclaration)
		f.Object.Name = fmt.Sprintf("db-%04d", i)
		f.Message = strings.Repeat("ü", 2000)
		findings = append(findings, f)
	}
	pages := Pages(observed("sha256:1"), rule.Result{Findings: findings})
	shown := 0
	for i, page := range pages {
		raw, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > 256<<10 || len(page.Findings) > pageFindings {
			t.Errorf("page %d: %d bytes and %d findings", i, len(raw), len(page.Findings))
		}
		if page.Counts.Errors != 1200 {
			t.Errorf("page %d counts %d errors: want those of the whole report", i, page.Counts.Errors)
		}
		shown += len(page.Findings)
	}
	if left := int(pages[len(pages)-1].Truncated); shown+left != 1200 {
		t.Errorf("%d shown and %d truncated: want 1200 together", shown, left)
	}
	if len([]rune(pages[0].Findings[0].Message)) > messageLength {
		t.Error("a message is longer than the schema takes")
	}
}

func TestMoreThanAllPages(t *testing.T) {
	findings := make([]finding.Finding, maxPages*pageFindings+7)
	for i := range findings {
		findings[i] = found(secretsv1.SeverityInfo, secretsv1.GateDeclaration)
	}
	pages := Pages(observed("sha256:1"), rule.Result{Findings: findings})
	if got := pages[len(pages)-1].Truncated; len(pages) != maxPages || got != 7 {
		t.Errorf("%d pages and %d truncated: want %d and 7", len(pages), got, maxPages)
	}
}

func TestUnjudgedKeepsWhatWasFound(t *testing.T) {
	before := Pages(observed("sha256:old"), rule.Result{Findings: []finding.Finding{
		found(secretsv1.SeverityError, secretsv1.GateDeclaration),
	}})
	page := Unjudged(before, contract.ArtifactFailedReason, "its server cannot be reached", at)[0]
	if page.Declaration.Verdict != secretsv1.VerdictUnknown || page.Readiness.Verdict != secretsv1.VerdictUnknown {
		t.Errorf("verdicts: got %s and %s, want Unknown", page.Declaration.Verdict, page.Readiness.Verdict)
	}
	if len(page.Findings) != 1 || page.Observed.Digest != "sha256:old" {
		t.Errorf("want the old finding with its digest, got %d of %s", len(page.Findings), page.Observed.Digest)
	}
	if c := page.Conditions[0]; c.Status != metav1.ConditionFalse || c.Reason != contract.ArtifactFailedReason {
		t.Errorf("condition: %+v", c)
	}
	if pages := Unjudged(nil, contract.ArtifactFailedReason, "x", at); len(pages) != 1 || pages[0].Observed != nil {
		t.Errorf("without a report before: want one page that observed nothing, got %+v", pages)
	}
}

func TestSettle(t *testing.T) {
	first := Pages(observed("sha256:1"), rule.Result{})[0]
	written, differs := Settle(secretsv1.SecretReportStatus{}, first, 1)
	if !differs || written.Conditions[0].ObservedGeneration != 1 {
		t.Fatalf("the first status is a change: %v %+v", differs, written.Conditions)
	}
	later := observed("sha256:1")
	later.Time = metav1.NewTime(at.Add(Validity / 4))
	if got, differs := Settle(written, Pages(later, rule.Result{})[0], 1); differs || !got.Observed.Time.Equal(&at) {
		t.Error("a little later nothing differs but the time: want no write and the old time")
	}
	later.Time = metav1.NewTime(at.Add(Validity / 2))
	if got, differs := Settle(written, Pages(later, rule.Result{})[0], 1); !differs || !got.ValidUntil.After(written.ValidUntil.Time) {
		t.Error("half of the validity is over: want the verdict confirmed")
	}
	got, differs := Settle(written, Pages(observed("sha256:2"), rule.Result{})[0], 1)
	if !differs || got.Observed.Digest != "sha256:2" {
		t.Error("another digest is a change")
	}
	failed := Unjudged([]secretsv1.SecretReportStatus{written}, "x", "y", metav1.NewTime(at.Add(time.Hour)))[0]
	if got, _ := Settle(written, failed, 1); got.Conditions[0].LastTransitionTime.Equal(&at) {
		t.Error("a condition that turns gets a new time")
	}
}
