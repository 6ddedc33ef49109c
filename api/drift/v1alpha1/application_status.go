// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ApplicationStatus is what the drift-controller found and did.
type ApplicationStatus struct {
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// LastHandledReconcileAt is the last requestedAt token that was served.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
	// +optional
	Stage StageStatus `json:"stage,omitempty"`
	// Compared says what the verdict is about and until when it holds.
	// +optional
	Compared *Compared `json:"compared,omitempty"`
	// +optional
	Summary *Summary `json:"summary,omitempty"`
	// Rendered is where the masked manifests of the compared revision are served.
	// +optional
	Rendered *Rendered `json:"rendered,omitempty"`
	// +optional
	Plans *Plans `json:"plans,omitempty"`
	// Hold is what an emergency leaves behind until its edits are in Git.
	// +optional
	Hold *Hold `json:"hold,omitempty"`
	// IgnoreRules says what each ignore rule hides, in the order of the spec.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	IgnoreRules []IgnoreRuleStatus `json:"ignoreRules,omitempty"`
	// IgnoreAnnotations says what the rules hide that objects carry themselves.
	// +optional
	IgnoreAnnotations *IgnoreAnnotationsStatus `json:"ignoreAnnotations,omitempty"`
	// Notes are what the render or the observation has to say beside the
	// verdict: hooks that are not run, annotations that are not supported,
	// renders that differ from run to run, kinds that may not be listed.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	Notes []string `json:"notes,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// History of compared revisions, the newest first.
	// +optional
	// +kubebuilder:validation:MaxItems=10
	History []HistoryEntry `json:"history,omitempty"`
}

// StageStatus is the effective stage, and what holds it below the ceiling.
type StageStatus struct {
	// +optional
	Effective Stage `json:"effective,omitempty"`
	// +optional
	Since *metav1.Time `json:"since,omitempty"`
	// +optional
	Ceiling Stage `json:"ceiling,omitempty"`
	// +optional
	HeldBy string `json:"heldBy,omitempty"`
	// Granted is what spec.rollout grants.
	// +optional
	Granted *StageGrant `json:"granted,omitempty"`
}

// StageGrant is what a StageRollout grants to one Application. It stands here,
// so that a soak outlives the controller.
type StageGrant struct {
	Rollout string      `json:"rollout"`
	Stage   Stage       `json:"stage"`
	Since   metav1.Time `json:"since"`
	// Reach is the furthest stage that everything but the rollout allows.
	Reach Stage `json:"reach"`
}

// Compared is the artifact of the last complete comparison.
type Compared struct {
	Revision string `json:"revision"`
	// Digest of the source artifact.
	Digest string      `json:"digest"`
	Time   metav1.Time `json:"time"`
	// ValidUntil: past it a reader shows Unknown, so that a controller that
	// died is not green for ever.
	ValidUntil metav1.Time `json:"validUntil"`
}

// Summary counts objects by verdict, and entries by class.
type Summary struct {
	Objects int32 `json:"objects"`
	InSync  int32 `json:"inSync"`
	Drifted int32 `json:"drifted"`
	Missing int32 `json:"missing"`
	Unknown int32 `json:"unknown"`
	Strays  int32 `json:"strays"`
	// Removed objects: in the inventory and no longer declared.
	Removed int32 `json:"removed"`
	// Backlog: entries older than the step to SelfHeal, waiting for approval.
	Backlog int32 `json:"backlog"`
	// Untriaged: entries that count as drift, are no sync's business and stand
	// in no approved plan.
	// +optional
	Untriaged int32 `json:"untriaged,omitempty"`
	// +optional
	ByClass map[Class]int32 `json:"byClass,omitempty"`
	// +optional
	Precision map[Precision]int32 `json:"precision,omitempty"`
	// OldestDrift is when the oldest entry that counts as drift was first seen.
	// +optional
	OldestDrift *metav1.Time `json:"oldestDrift,omitempty"`
}

// Rendered locates the rendered artifact, with tainted values masked.
type Rendered struct {
	URL      string `json:"url"`
	Digest   string `json:"digest"`
	Revision string `json:"revision"`
	// SourceDigest is the artifact that was rendered.
	// +optional
	SourceDigest string `json:"sourceDigest,omitempty"`
	// SourceURL is where that artifact was, for who looks into its files.
	// +optional
	SourceURL string `json:"sourceURL,omitempty"`
}

// Plans are the digests of what waits or is about to be done.
type Plans struct {
	// +optional
	Heal *PlanStatus `json:"heal,omitempty"`
	// +optional
	Prune *PlanStatus `json:"prune,omitempty"`
	// Undo is what can be brought back of what was pruned in the last days. An
	// Approval of its digest asks for it.
	// +optional
	Undo *PlanStatus `json:"undo,omitempty"`
}

// Hold keeps sync, heal and prune off in the scope of an emergency. It stands
// here and not with the BreakGlass, so that deleting that is no escape.
type Hold struct {
	// Since is when the emergency was opened.
	Since metav1.Time `json:"since"`
	// +kubebuilder:validation:MaxLength=253
	BreakGlass string `json:"breakGlass"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RequestedBy string `json:"requestedBy,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason,omitempty"`
	// Objects in scope; empty is the whole application.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Objects []KindSelector `json:"objects,omitempty"`
	// Ended: nothing holds any more but the edits that are not in Git.
	// +optional
	Ended bool `json:"ended,omitempty"`
}

// PlanState is the state of a plan.
//
// +kubebuilder:validation:Enum=Empty;Refused;AwaitingApproval;Approved;Waiting;Running;Done
type PlanState string

// The states. AwaitingApproval: nothing of what needs an Approval is done
// before one names the digest. Waiting: for the end of a quarantine, for the
// budget of another day, or for what holds all writes.
const (
	PlanEmpty            PlanState = "Empty"
	PlanRefused          PlanState = "Refused"
	PlanAwaitingApproval PlanState = "AwaitingApproval"
	PlanApproved         PlanState = "Approved"
	PlanWaiting          PlanState = "Waiting"
	PlanRunning          PlanState = "Running"
	PlanDone             PlanState = "Done"
)

// PlanStatus is one plan.
type PlanStatus struct {
	// Digest is what an Approval names. It covers the objects by UID, what
	// happens to them and how far a deletion reaches; not the revision.
	Digest string    `json:"digest"`
	State  PlanState `json:"state"`
	// Actions that the digest is about.
	// +optional
	Actions int32 `json:"actions,omitempty"`
	// Deletions among them.
	// +optional
	Deletions int32 `json:"deletions,omitempty"`
	// Message says what stands against the plan, or against some of it.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
	// Objects names the first of those that the plan is about.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	Objects []string `json:"objects,omitempty"`
}

// IgnoreRuleStatus says what one ignore rule hides now.
type IgnoreRuleStatus struct {
	// Rule is the position in spec.ignore, from 0.
	Rule int32 `json:"rule"`
	// Hidden differences.
	Hidden int32 `json:"hidden"`
	// Managers of what is hidden; "unknown" where nobody is recorded.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	Managers []string `json:"managers,omitempty"`
	// IdleSince: the rule has hidden nothing since then.
	// +optional
	IdleSince *metav1.Time `json:"idleSince,omitempty"`
	// Dead: the rule has hidden nothing for a week, so it can go.
	// +optional
	Dead bool `json:"dead,omitempty"`
	// Expired: the rule's end has passed.
	// +optional
	Expired bool `json:"expired,omitempty"`
	// Refused says for which objects the rule is refused, and why; it hides
	// nothing of these.
	// +optional
	Refused string `json:"refused,omitempty"`
	// Digest identifies the rule when the list is put in another order.
	// +optional
	Digest string `json:"digest,omitempty"`
}

// IgnoreAnnotationsStatus says what objects hide by a rule of their own.
type IgnoreAnnotationsStatus struct {
	// Objects that carry the annotation.
	Objects int32 `json:"objects"`
	// Refused: objects whose annotation is not obeyed; the notes say why.
	Refused int32 `json:"refused"`
	// Hidden differences.
	Hidden int32 `json:"hidden"`
	// Managers of what is hidden.
	// +optional
	// +kubebuilder:validation:MaxItems=16
	Managers []string `json:"managers,omitempty"`
}

// HistoryEntry is one compared revision.
type HistoryEntry struct {
	Revision string      `json:"revision"`
	Digest   string      `json:"digest"`
	Time     metav1.Time `json:"time"`
	Drifted  int32       `json:"drifted"`
	Missing  int32       `json:"missing"`
}

// GetConditions gives the conditions, for fluxcd/pkg/runtime.
func (in *Application) GetConditions() []metav1.Condition { return in.Status.Conditions }

// SetConditions sets the conditions, for fluxcd/pkg/runtime.
func (in *Application) SetConditions(c []metav1.Condition) { in.Status.Conditions = c }
