// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	"github.com/fluxcd/pkg/runtime/conditions/check"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/halt"
)

func object(before ...metav1.Condition) *sourcev1.GitRepository {
	obj := &sourcev1.GitRepository{}
	obj.Generation = 3
	obj.Status.ObservedGeneration = 2
	obj.Status.Conditions = before
	return obj
}

func condition(kind string, status metav1.ConditionStatus, reason, message string, generation int64) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: generation}
}

// lines is the text form of conditions, sorted: type status reason message
// generation.
func lines(obj *sourcev1.GitRepository) []string {
	var text []string
	for _, c := range obj.Status.Conditions {
		text = append(text, fmt.Sprintf("%s %s %s %q %d", c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration))
	}
	slices.Sort(text)
	return text
}

// sorted lets a table list conditions in the order in which they tell a story.
func sorted(want []string) []string { return slices.Sorted(slices.Values(want)) }

var (
	stored     = condition(sourcev1.ArtifactInStorageCondition, metav1.ConditionTrue, "Succeeded", "stored artifact for revision 'main@sha1:a'", 2)
	ready      = condition(meta.ReadyCondition, metav1.ConditionTrue, "Succeeded", "stored artifact for revision 'main@sha1:a'", 2)
	foreign    = condition("Scanned", metav1.ConditionTrue, "Clean", "by someone else", 1)
	fetching   = condition(sourcev1.FetchFailedCondition, metav1.ConditionTrue, "GitOperationFailed", "no route", 2)
	verified   = condition(sourcev1.SourceVerifiedCondition, metav1.ConditionTrue, "Succeeded", "with key 'K'", 2)
	unverified = condition(sourcev1.SourceVerifiedCondition, metav1.ConditionFalse, "InvalidCommitSignature", "no", 2)
	stalled    = condition(meta.StalledCondition, metav1.ConditionTrue, "URLInvalid", "bad", 2)
)

func failed(kind halt.Kind, condition, reason, text string) *Failure {
	return &Failure{Condition: condition, Halt: &halt.Error{Kind: kind, Reason: reason, Cause: errors.New(text)}}
}

// ending is one way in which a pass ends.
type ending struct {
	reason   string
	before   []metav1.Condition
	facts    Facts
	want     []string
	observed bool
}

func TestFinish(t *testing.T) {
	checkEndings(t, map[string]ending{
		"first success": {
			reason: "Ready repeats what is stored",
			facts:  Facts{Stored: "main@sha1:a"},
			want: []string{
				`Ready True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
			},
			observed: true,
		},
		"success after trouble": {
			reason: "everything bad goes, what others wrote stays",
			before: []metav1.Condition{fetching, stalled, foreign},
			facts:  Facts{Stored: "main@sha1:b", Pending: "main@sha1:b"},
			want: []string{
				`Ready True Succeeded "stored artifact for revision 'main@sha1:b'" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:b'" 3`,
				`Scanned True Clean "by someone else" 1`,
			},
			observed: true,
		},
		"fetch failed": {
			reason: "it is tried again; the older artifact is confirmed for the older generation only",
			before: []metav1.Condition{stored, ready},
			facts: Facts{
				Failure: failed(halt.Retry, sourcev1.FetchFailedCondition, "GitOperationFailed", "no route"),
				Stored:  "main@sha1:a", Doing: InProgress,
			},
			want: []string{
				`Ready False GitOperationFailed "no route" 3`,
				`Reconciling True ProgressingWithRetry "reconciliation in progress" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
				`FetchFailed True GitOperationFailed "no route" 3`,
			},
		},
		"storage failed with a newer revision": {
			reason: "a failure of the store explains more than that the artifact lags",
			before: []metav1.Condition{stored, ready},
			facts: Facts{
				Failure: failed(halt.Retry, sourcev1.StorageOperationFailedCondition, "ArchiveOperationFailed", "disk full"),
				Stored:  "main@sha1:a", Pending: "main@sha1:b", Doing: "building artifact: new upstream revision 'main@sha1:b'",
			},
			want: []string{
				`Ready False ArchiveOperationFailed "disk full" 3`,
				`Reconciling True ProgressingWithRetry "building artifact: new upstream revision 'main@sha1:b'" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
				`ArtifactOutdated True NewRevision "new upstream revision 'main@sha1:b'" 3`,
				`StorageOperationFailed True ArchiveOperationFailed "disk full" 3`,
			},
		},
		"artifact gone": {
			reason: "never Ready, nor in storage, without bytes",
			before: []metav1.Condition{stored, ready},
			facts: Facts{
				Failure: failed(halt.Retry, sourcev1.FetchFailedCondition, "GitOperationFailed", "no route"), Doing: Disappeared,
			},
			want: []string{
				`Ready False GitOperationFailed "no route" 3`,
				`Reconciling True ProgressingWithRetry "building artifact: disappeared from storage" 3`,
				`FetchFailed True GitOperationFailed "no route" 3`,
			},
		},
		"stalled by its address": {
			reason: "no retry helps, and that counts as observed",
			before: []metav1.Condition{stored, ready},
			facts: Facts{
				Failure: failed(halt.Stalled, sourcev1.FetchFailedCondition, "URLInvalid", "no scheme"), Stored: "main@sha1:a", Doing: InProgress,
			},
			want: []string{
				`Ready False URLInvalid "no scheme" 3`,
				`Stalled True URLInvalid "no scheme" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
				`FetchFailed True URLInvalid "no scheme" 3`,
			},
			observed: true,
		},
		"stalled by a field": {
			reason: "nothing was fetched, so nothing failed to be",
			facts:  Facts{Failure: failed(halt.Stalled, "", "NotOffered", "spec.verify"), Doing: InProgress},
			want: []string{
				`Ready False NotOffered "spec.verify" 3`,
				`Stalled True NotOffered "spec.verify" 3`,
			},
			observed: true,
		},
		"waiting": {
			reason: "an input that is not there yet is no failure of this generation",
			facts:  Facts{Failure: failed(halt.Wait, sourcev1.IncludeUnavailableCondition, "NoArtifact", "no artifact yet"), Doing: InProgress},
			want: []string{
				`Ready False NoArtifact "no artifact yet" 3`,
				`Reconciling True ProgressingWithRetry "reconciliation in progress" 3`,
				`IncludeUnavailable True NoArtifact "no artifact yet" 3`,
			},
		},
	})
}

func TestFinishVerification(t *testing.T) {
	checkEndings(t, map[string]ending{
		"signature refused": {
			reason: "Ready has the reason of the check; the artifact that was verified stays",
			before: []metav1.Condition{stored, ready},
			facts: Facts{
				Failure: failed(halt.Retry, sourcev1.SourceVerifiedCondition, "InvalidCommitSignature", "no matching key"),
				Stored:  "main@sha1:a", Doing: InProgress,
			},
			want: []string{
				`Ready False InvalidCommitSignature "no matching key" 3`,
				`Reconciling True ProgressingWithRetry "reconciliation in progress" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
				`SourceVerified False InvalidCommitSignature "no matching key" 3`,
			},
		},
		"signature verified": {
			reason: "which key it was is said; an include that changed is no news once it is packed",
			before: []metav1.Condition{unverified},
			facts:  Facts{Stored: "main@sha1:a", Verification: Verification{Message: "with key 'K'"}},
			want: []string{
				`Ready True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
				`SourceVerified True Succeeded "with key 'K'" 3`,
			},
			observed: true,
		},
		"no news about signatures": {
			reason: "what was verified stays verified until something is checked again",
			before: []metav1.Condition{verified},
			facts:  Facts{Stored: "main@sha1:a"},
			want: []string{
				`Ready True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
				`SourceVerified True Succeeded "with key 'K'" 3`,
			},
			observed: true,
		},
		"signatures no longer asked for": {
			reason: "a claim that nobody asks for is none",
			before: []metav1.Condition{verified},
			facts:  Facts{Stored: "main@sha1:a", Verification: Verification{Off: true}},
			want: []string{
				`Ready True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 3`,
			},
			observed: true,
		},
	})
}

func checkEndings(t *testing.T, tests map[string]ending) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := object(tc.before...)
			Finish(obj, tc.facts)
			if diff := cmp.Diff(sorted(tc.want), lines(obj)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if got := Observed(tc.facts); got != tc.observed {
				t.Errorf("%s: got observed %v", tc.reason, got)
			}
			if tc.observed {
				obj.Status.ObservedGeneration = obj.Generation
			}
			checker := check.NewChecker(nil, &check.Conditions{NegativePolarity: negative})
			verify(t, checker, obj)
		})
	}
}

// verify runs the rules that every Flux object has to keep.
func verify(t *testing.T, checker *check.Checker, obj conditions.Getter) {
	t.Helper()
	checker.DisableFetch, checker.Stdout, checker.Stderr = true, io.Discard, io.Discard
	if fail, _ := checker.Check(t.Context(), obj); fail != nil && !ownedByOthers(obj) {
		t.Errorf("breaks a rule of Flux's conditions: %v", fail)
	}
}

// ownedByOthers is the one case in which the rule on generations cannot hold:
// another writer's condition lags behind.
func ownedByOthers(obj conditions.Getter) bool { return conditions.Has(obj, foreign.Type) }

func TestWorking(t *testing.T) {
	tests := map[string]struct {
		reason  string
		before  []metav1.Condition
		facts   Facts
		changed bool
		want    []string
	}{
		"asked, nothing known to be new": {
			reason: "Ready must not flap",
			before: []metav1.Condition{stored, ready},
			facts:  Facts{Stored: "main@sha1:a", Doing: InProgress},
			want: []string{
				`Ready True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
				`Reconciling True Progressing "reconciliation in progress" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
			},
		},
		"new revision": {
			reason:  "what is served is known to be old",
			before:  []metav1.Condition{stored, ready},
			facts:   Facts{Stored: "main@sha1:a", Pending: "main@sha1:b", Doing: Building},
			changed: true,
			want: []string{
				`Ready Unknown Progressing "building artifact" 3`,
				`Reconciling True Progressing "building artifact" 3`,
				`ArtifactInStorage True Succeeded "stored artifact for revision 'main@sha1:a'" 2`,
				`ArtifactOutdated True NewRevision "new upstream revision 'main@sha1:b'" 3`,
			},
		},
		"artifact gone": {
			reason:  "nothing is in storage",
			before:  []metav1.Condition{stored, ready},
			facts:   Facts{Doing: Disappeared},
			changed: true,
			want: []string{
				`Ready Unknown Progressing "building artifact: disappeared from storage" 3`,
				`Reconciling True Progressing "building artifact: disappeared from storage" 3`,
			},
		},
		"first pass": {
			reason: "without a Ready there is one from the start",
			before: []metav1.Condition{stalled},
			facts:  Facts{Doing: NewGenerationMessage(-1, 3)},
			want: []string{
				`Ready Unknown Progressing "processing object: new generation -1 -> 3" 3`,
				`Reconciling True Progressing "processing object: new generation -1 -> 3" 3`,
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := object(tc.before...)
			Working(obj, tc.facts, tc.changed)
			if diff := cmp.Diff(sorted(tc.want), lines(obj)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			verify(t, check.NewInProgressChecker(nil), obj)
		})
	}
}

func TestSuspended(t *testing.T) {
	tests := map[string]struct {
		reason       string
		before, want []metav1.Condition
	}{
		"never seen": {reason: "there is nothing to sum up"},
		"ready": {
			reason: "Ready speaks of the present spec, the artifact's condition of the one it was made for",
			before: []metav1.Condition{stored, ready, foreign},
			want:   []metav1.Condition{stored, condition(ready.Type, ready.Status, ready.Reason, ready.Message, 3), foreign},
		},
		"stalled": {
			reason: "another spec may be what helps",
			before: []metav1.Condition{stalled, fetching},
			want:   []metav1.Condition{fetching, condition(meta.ReadyCondition, metav1.ConditionFalse, fetching.Reason, fetching.Message, 3)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := object(tc.before...)
			Suspended(obj)
			if diff := cmp.Diff(sorted(lines(object(tc.want...))), lines(obj)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
