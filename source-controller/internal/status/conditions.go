// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"fmt"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/halt"
)

// Reasons that Flux writes without a name of its own for them.
const (
	NewRevisionReason        = "NewRevision"
	IncludeChangeReason      = "IncludeChange"
	EmptyGitRepositoryReason = "EmptyGitRepository"
	SourceIgnoreErrorReason  = "SourceIgnoreError"
	VerificationErrorReason  = "VerificationError"
)

// failures are the conditions that are present only while they are True, in the
// order in which they explain a Ready that is False.
var failures = []string{
	sourcev1.StorageOperationFailedCondition,
	sourcev1.FetchFailedCondition,
	sourcev1.IncludeUnavailableCondition,
}

// negative are all conditions that are bad when True, in the order in which
// they explain Ready.
var negative = []string{
	sourcev1.StorageOperationFailedCondition,
	sourcev1.FetchFailedCondition,
	sourcev1.IncludeUnavailableCondition,
	sourcev1.ArtifactOutdatedCondition,
	meta.StalledCondition,
	meta.ReconcilingCondition,
}

// summarized are the conditions that Ready sums up, in order of precedence.
var summarized = []string{
	sourcev1.StorageOperationFailedCondition,
	sourcev1.FetchFailedCondition,
	sourcev1.IncludeUnavailableCondition,
	sourcev1.ArtifactOutdatedCondition,
	sourcev1.ArtifactInStorageCondition,
	sourcev1.SourceVerifiedCondition,
	meta.StalledCondition,
	meta.ReconcilingCondition,
}

// Owned gives the conditions that this controller writes; all others on an
// object belong to someone else and survive.
func Owned() []string { return append([]string{meta.ReadyCondition}, summarized...) }

// Failure is why a pass did not succeed.
type Failure struct {
	// Halt says what helps, and carries reason and message.
	Halt *halt.Error
	// Condition is True while the failure lasts; empty where Stalled says it all.
	Condition string
}

// Facts are what a pass found out.
type Facts struct {
	// Failure is nil for a pass that succeeded.
	Failure *Failure
	// Stored is the revision whose artifact is in storage; empty for none.
	Stored string
	// Noun is what the kind of source calls a revision; empty for revision.
	Noun string
	// Pending is a revision that was seen and is not stored yet; empty for none.
	Pending string
	// Included tells that what other sources contribute has changed since the
	// artifact was stored.
	Included bool
	// Verification is what the pass found out about signatures.
	Verification Verification
	// Doing is what the pass was at, for people who watch.
	Doing string
}

// Verification is about signatures. The zero value leaves standing what an
// earlier pass found; a failed check is a Failure of SourceVerified.
type Verification struct {
	// Off: the object asks for none, or asks for it and accepts what is unsigned.
	Off bool
	// Message tells what was verified, with which key; empty where nothing was.
	Message string
}

// Working tells, before slow work, what is going on. Ready is left alone unless
// the source is known to have changed: a pass that finds nothing new must not
// make it flap.
func Working(obj conditions.Setter, facts Facts, changed bool) {
	conditions.MarkReconciling(obj, meta.ProgressingReason, "%s", facts.Doing)
	if changed || !conditions.Has(obj, meta.ReadyCondition) || conditions.IsUnknown(obj, meta.ReadyCondition) {
		conditions.MarkUnknown(obj, meta.ReadyCondition, meta.ProgressingReason, "%s", facts.Doing)
	}
	setOutdated(obj, facts)
	forgetUnverified(obj)
	if facts.Stored == "" {
		conditions.Delete(obj, sourcev1.ArtifactInStorageCondition)
	}
}

// Finish sets the conditions that a finished pass leaves behind.
func Finish(obj conditions.Setter, facts Facts) {
	setFailures(obj, facts)
	setVerified(obj, facts)
	setOutdated(obj, facts)
	setInStorage(obj, facts)
	setStalled(obj, facts)
	setReconciling(obj, facts)
	summarize(obj)
}

// Suspended sums up what is known already for the present generation. As in
// Flux, being left alone counts as having been seen.
func Suspended(obj conditions.Setter) {
	if len(obj.GetConditions()) == 0 {
		return
	}
	conditions.Delete(obj, meta.StalledCondition)
	summarize(obj)
}

func summarize(obj conditions.Setter) {
	conditions.SetSummary(obj, meta.ReadyCondition,
		conditions.WithConditions(summarized...),
		conditions.WithNegativePolarityConditions(negative...),
	)
	// The summary knows conditions that are bad when True and ones that are good
	// when True; one that is bad when False explains Ready by itself.
	if unverified := conditions.Get(obj, sourcev1.SourceVerifiedCondition); unverified != nil && unverified.Status == metav1.ConditionFalse {
		conditions.MarkFalse(obj, meta.ReadyCondition, unverified.Reason, "%s", unverified.Message)
	}
}

// Observed tells whether the pass counts as an observation of the generation: it
// succeeded, or it found that only another spec helps.
func Observed(facts Facts) bool {
	return facts.Failure == nil || facts.Failure.Halt.Kind == halt.Stalled
}

func setFailures(obj conditions.Setter, facts Facts) {
	for _, condition := range failures {
		if facts.Failure != nil && facts.Failure.Condition == condition {
			conditions.MarkTrue(obj, condition, facts.Failure.Halt.Reason, "%s", facts.Failure.Halt)
			continue
		}
		conditions.Delete(obj, condition)
	}
}

// setVerified is the one condition that may stand in either way. What an earlier
// pass verified stays: it is said of the artifact in status, which a pass that
// could not verify the next revision leaves standing. An earlier failure does
// not, since this pass checked again or had nothing to check.
func setVerified(obj conditions.Setter, facts Facts) {
	failure, found := facts.Failure, facts.Verification
	switch {
	case failure != nil && failure.Condition == sourcev1.SourceVerifiedCondition:
		conditions.MarkFalse(obj, sourcev1.SourceVerifiedCondition, failure.Halt.Reason, "%s", failure.Halt)
	case found.Off:
		conditions.Delete(obj, sourcev1.SourceVerifiedCondition)
	case found.Message != "":
		conditions.MarkTrue(obj, sourcev1.SourceVerifiedCondition, meta.SucceededReason, "%s", found.Message)
	default:
		forgetUnverified(obj)
		if earlier := conditions.Get(obj, sourcev1.SourceVerifiedCondition); earlier != nil && failure == nil {
			// It was confirmed at this generation by what did not have to change.
			conditions.MarkTrue(obj, earlier.Type, earlier.Reason, "%s", earlier.Message)
		}
	}
}

func forgetUnverified(obj conditions.Setter) {
	if conditions.IsFalse(obj, sourcev1.SourceVerifiedCondition) {
		conditions.Delete(obj, sourcev1.SourceVerifiedCondition)
	}
}

// setOutdated is about an artifact that exists and lags behind; without one
// there is nothing that could be outdated.
func setOutdated(obj conditions.Setter, facts Facts) {
	outdated := facts.Pending != "" && facts.Pending != facts.Stored
	switch {
	case facts.Stored == "" || (!outdated && !facts.Included):
		conditions.Delete(obj, sourcev1.ArtifactOutdatedCondition)
		return
	case !outdated:
		conditions.MarkTrue(obj, sourcev1.ArtifactOutdatedCondition, IncludeChangeReason, "%s", IncludeChange)
		return
	}
	conditions.MarkTrue(obj, sourcev1.ArtifactOutdatedCondition, NewRevisionReason, "%s", NewRevisionMessage(facts.Pending))
}

// setInStorage confirms the artifact for the current generation only after a
// pass that succeeded; a failed one leaves the older word standing.
func setInStorage(obj conditions.Setter, facts Facts) {
	switch {
	case facts.Stored == "":
		conditions.Delete(obj, sourcev1.ArtifactInStorageCondition)
	case facts.Failure == nil:
		conditions.MarkTrue(obj, sourcev1.ArtifactInStorageCondition, meta.SucceededReason,
			"stored artifact for %s '%s'", cmp.Or(facts.Noun, "revision"), facts.Stored)
	}
}

func setStalled(obj conditions.Setter, facts Facts) {
	if facts.Failure == nil || facts.Failure.Halt.Kind != halt.Stalled {
		conditions.Delete(obj, meta.StalledCondition)
		return
	}
	conditions.MarkStalled(obj, facts.Failure.Halt.Reason, "%s", facts.Failure.Halt)
}

// setReconciling stays True after a failure that is tried again, which is what
// tells it from a stalled one.
func setReconciling(obj conditions.Setter, facts Facts) {
	if facts.Failure == nil || facts.Failure.Halt.Kind == halt.Stalled {
		conditions.Delete(obj, meta.ReconcilingCondition)
		return
	}
	conditions.MarkReconciling(obj, meta.ProgressingWithRetryReason, "%s", facts.Doing)
}

// Messages of work in progress, in the shape that people look for.
const (
	InProgress  = "reconciliation in progress"
	Building    = "building artifact"
	Disappeared = "building artifact: disappeared from storage"

	IncludeChange = "included artifacts differ from last observed includes"
)

// NewGenerationMessage tells that a spec is new.
func NewGenerationMessage(observed, current int64) string {
	return fmt.Sprintf("processing object: new generation %d -> %d", observed, current)
}

// NewRevisionMessage tells that the remote moved.
func NewRevisionMessage(revision string) string {
	return fmt.Sprintf("new upstream revision '%s'", revision)
}
