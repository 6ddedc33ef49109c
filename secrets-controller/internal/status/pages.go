// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// Bounds of a report. A page stays below 256 KiB with its verdicts, conditions
// and metadata; what does not fit on the last page is counted.
const (
	// What stands on the first page only fits into the room that is left.
	pageBytes    = 160 << 10
	pageFindings = 500
	maxPages     = 32
)

// Validity is how long verdicts are to be believed; they are confirmed when
// half of it is over.
const Validity = 2 * time.Hour

// Observation is what was judged, and when.
type Observation struct {
	Rendered driftv1.Rendered
	Time     metav1.Time
}

// Pages is the report about an artifact that was read. The findings are
// expected in their order, the worst first.
func Pages(seen Observation, result rule.Result) []secretsv1.SecretReportStatus {
	base := secretsv1.SecretReportStatus{
		Observed: &secretsv1.Observed{
			Digest:   seen.Rendered.Digest,
			Revision: seen.Rendered.Revision,
			Time:     seen.Time,
		},
		ValidUntil:  &metav1.Time{Time: seen.Time.Add(Validity)},
		Declaration: verdict(result.Findings, secretsv1.GateDeclaration, result.UnreadSource),
		Readiness:   verdict(result.Findings, secretsv1.GateReadiness, result.Unread),
		Counts:      finding.Count(result.Findings),
		Headline:    headline(result),
		Conditions: []metav1.Condition{ready(metav1.ConditionTrue, contract.SucceededReason,
			fmt.Sprintf("revision %s is judged", seen.Rendered.Revision), seen.Time)},
	}
	pages, left := split(result.Findings)
	out := make([]secretsv1.SecretReportStatus, len(pages))
	for i, findings := range pages {
		page := base.DeepCopy()
		page.Findings = findings
		out[i] = *page
	}
	out[len(out)-1].Truncated = left
	return out
}

// Unjudged is the report while the artifact cannot be read: both verdicts are
// Unknown with the reason, and the findings stay, with the digest they were
// found in. A reader compares that digest with the Application's.
func Unjudged(kept []secretsv1.SecretReportStatus, reason, message string, now metav1.Time) []secretsv1.SecretReportStatus {
	if len(kept) == 0 {
		kept = make([]secretsv1.SecretReportStatus, 1)
	}
	out := make([]secretsv1.SecretReportStatus, len(kept))
	for i, page := range kept {
		next := page.DeepCopy()
		next.Declaration = verdictOf(secretsv1.VerdictUnknown, message)
		next.Readiness = verdictOf(secretsv1.VerdictUnknown, message)
		next.Headline = cut(message, reasonLength)
		next.Conditions = []metav1.Condition{ready(metav1.ConditionFalse, reason, cut(message, messageLength), now)}
		out[i] = *next
	}
	return out
}

func ready(status metav1.ConditionStatus, reason, message string, now metav1.Time) metav1.Condition {
	return metav1.Condition{
		Type: contract.ReadyCondition, Status: status, Reason: reason,
		Message: message, LastTransitionTime: now,
	}
}

// split cuts the findings into pages; there is always a first one, since it
// carries the verdict. The second result counts what did not fit.
func split(findings []finding.Finding) ([][]secretsv1.Finding, int32) {
	pages := [][]secretsv1.Finding{nil}
	size := 0
	for i, f := range findings {
		entry := published(f)
		length := encodedLength(entry)
		last := len(pages) - 1
		if len(pages[last]) == pageFindings || size+length > pageBytes {
			if len(pages) == maxPages {
				return pages, int32(len(findings) - i) //nolint:gosec // far below 2^31: one artifact is bounded
			}
			pages, size = append(pages, nil), 0
			last++
		}
		pages[last] = append(pages[last], entry)
		size += length
	}
	return pages, 0
}

func published(f finding.Finding) secretsv1.Finding {
	return secretsv1.Finding{
		Rule:        cut(f.Rule, ruleLength),
		Severity:    f.Severity,
		Gate:        f.Gate,
		Object:      f.Object,
		Path:        cut(f.Path, messageLength),
		Message:     cut(f.Message, messageLength),
		Remedy:      cut(f.Remedy, messageLength),
		Fingerprint: f.Fingerprint(),
	}
}

func encodedLength(entry secretsv1.Finding) int { return encodedBytes(entry) }
