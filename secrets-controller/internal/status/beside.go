// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// Beside is what a report says beside its findings.
type Beside struct {
	Restorability secretsv1.Restorability
	Deliveries    []rule.Delivery
	// Leaks that are not acknowledged as rotated, those that are gone from
	// Git first: the others can be found again.
	Leaks []finding.Finding
}

const (
	mostLeaks  = 200
	leakBytes  = 24 << 10
	pathLength = 256
)

// With adds what stands beside the findings to the pages of a report. States of
// deliveries go where there is room, and to further pages.
func With(pages []secretsv1.SecretReportStatus, b Beside) []secretsv1.SecretReportStatus {
	restorability := b.Restorability
	pages[0].Restorability, pages[0].Leaks = &restorability, leaks(b.Leaks)
	room := pageBytes // of the last page; its findings were counted when it was made
	for _, f := range pages[len(pages)-1].Findings {
		room -= encodedLength(f)
	}
	for _, d := range b.Deliveries {
		entry := delivery(d)
		length := encodedBytes(entry)
		last := &pages[len(pages)-1]
		if len(last.Deliveries) == pageFindings || length > room {
			if len(pages) == maxPages {
				last.Truncated++
				continue
			}
			next := pages[0].DeepCopy()
			next.Findings, next.Restorability, next.Leaks, next.Deliveries = nil, nil, nil, nil
			next.Truncated, last.Truncated = last.Truncated, 0
			pages, room = append(pages, *next), pageBytes
			last = &pages[len(pages)-1]
		}
		last.Deliveries = append(last.Deliveries, entry)
		room -= length
	}
	return pages
}

func delivery(d rule.Delivery) secretsv1.Delivery {
	out := secretsv1.Delivery{Object: d.Object, State: d.State, Message: cut(d.Message, reasonLength)}
	if !d.Time.IsZero() {
		out.Time = &metav1.Time{Time: d.Time}
	}
	return out
}

func leaks(found []finding.Finding) []secretsv1.Leak {
	var out []secretsv1.Leak
	room := leakBytes
	for _, f := range found {
		entry := secretsv1.Leak{Rule: cut(f.Rule, ruleLength), Object: f.Object, Path: f.Path, Digest: f.Evidence}
		room -= encodedBytes(entry)
		if len(out) == mostLeaks || room < 0 {
			break
		}
		if len(f.Path) <= pathLength { // a longer one would not be recognised when it is read again
			out = append(out, entry)
		}
	}
	return out
}

// Remembered are the leaks that a report remembers, whoever wrote it.
func Remembered(pages []secretsv1.SecretReportStatus) []finding.Finding {
	var out []finding.Finding
	for _, page := range pages {
		for _, leak := range page.Leaks {
			out = append(out, finding.Finding{Rule: leak.Rule, Object: leak.Object, Path: leak.Path, Evidence: leak.Digest})
		}
	}
	return out
}

func encodedBytes(entry any) int {
	raw, err := json.Marshal(entry)
	if err != nil {
		return pageBytes // strings only: cannot fail, and too much is the safe side
	}
	return len(raw)
}
