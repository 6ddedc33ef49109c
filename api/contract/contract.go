// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package contract holds every name that two of the controllers, or a
// controller and its users, agree on: condition types and reasons, field
// managers, label and annotation keys. It has no behaviour and no imports.
package contract

// Field managers that the controllers write with.
const (
	// DriftFieldManager owns what the drift-controller applies to managed
	// objects, and what its dry runs are computed for.
	DriftFieldManager = "drift-controller"
	// SourceFieldManager owns the status of sources, as Flux's does.
	SourceFieldManager = "source-controller"
	// SecretsFieldManager owns SecretReports.
	SecretsFieldManager = "secrets-controller"
)

// Labels on pages (DriftReport, Inventory, SecretReport) that point back to
// their Application. Managed objects are never labelled.
const (
	ApplicationLabel = "drift.holdfast.dev/application"
	PageLabel        = "drift.holdfast.dev/page"
)

// PruneFinalizer keeps an Application with deletionPolicy Prune until what it
// applied is deleted, by the same proof and budget as any other deletion.
const PruneFinalizer = "drift.holdfast.dev/prune"

// RequestedAtAnnotation asks for a reconciliation: Flux's own annotation.
const RequestedAtAnnotation = "reconcile.fluxcd.io/requestedAt"

// IgnoreAnnotation carries an object's own ignore rule, if its Project allows.
const IgnoreAnnotation = "drift.holdfast.dev/ignore"

// ReadsAnnotation, on a workload or its pod template, names what its program
// reads through the API: "ConfigMap/flags, Secret/licence".
const ReadsAnnotation = "drift.holdfast.dev/reads"

// ObserverRole is the ClusterRole that marks an account as an observer, by a
// RoleBinding in its own namespace: the policy in config/policy denies it every
// write that is not a dry run. It grants ObserverVerb on ObserverResource of
// ObserverGroup, which nothing serves and anybody can ask RBAC about. Whoever
// also holds PersistVerb holds everything by a wildcard and is no observer.
const (
	ObserverRole     = "holdfast-observer"
	ObserverPolicy   = "holdfast-observers"
	ObserverGroup    = "drift.holdfast.dev"
	ObserverResource = "writes"
	ObserverVerb     = "dry-run-only"
	PersistVerb      = "persist"
)

// Condition types. Polarity: Reconciling, Stalled, Contested and BreakGlass
// are abnormal-true; the others are normal-true.
const (
	ReadyCondition        = "Ready"
	SyncedCondition       = "Synced"
	HealthyCondition      = "Healthy"
	SecretsValidCondition = "SecretsValid"
	ReconcilingCondition  = "Reconciling"
	StalledCondition      = "Stalled"
	ContestedCondition    = "Contested"
	BreakGlassCondition   = "BreakGlass"
	// RenderCompleteCondition is False while a render cannot prove absence:
	// discovery or an input was incomplete, or the render is not deterministic.
	RenderCompleteCondition = "RenderComplete"
)

// Reasons shared by several conditions.
const (
	SucceededReason        = "Succeeded"
	ProgressingReason      = "Progressing"
	SuspendedReason        = "Suspended"
	SourceNotFoundReason   = "SourceNotFound"
	SourceNotReadyReason   = "SourceNotReady"
	ArtifactFailedReason   = "ArtifactFailed"
	PathNotFoundReason     = "PathNotFound"
	BuildFailedReason      = "BuildFailed"
	EmptyRenderReason      = "EmptyRender"
	DiscoveryFailedReason  = "DiscoveryFailed"
	IdentityMissingReason  = "IdentityMissing"
	IdentityNotFoundReason = "IdentityNotFound"
	ProjectNotFoundReason  = "ProjectNotFound"
	ProjectRefusedReason   = "ProjectRefused"
	InvalidSpecReason      = "InvalidSpec"
	NotOfferedReason       = "NotOffered"
	ObservationReason      = "ObservationFailed"
	APIUnavailableReason   = "APIUnavailable"
)

// Reasons of Synced.
const (
	InSyncReason    = "InSync"
	DriftedReason   = "Drifted"
	UnknownReason   = "ObjectsUnknown"
	NotJudgedReason = "NotJudged"
)

// Reasons of Healthy and SecretsValid.
const (
	HealthyReason        = "AllHealthy"
	UnhealthyReason      = "Unhealthy"
	HealthUnknownReason  = "HealthUnknown"
	SecretsValidReason   = "DeclarationValid"
	SecretsDeniedReason  = "DeclarationDenied"
	SecretsPendingReason = "ReportMissing"
)

// Reasons of Contested and BreakGlass.
const (
	ContestedReason = "TwoWriters"
	OpenReason      = "Open"
	HeldReason      = "EditsNotInGit"
)

// Event reasons of the drift-controller; events are sent only on change.
const (
	DriftDetectedEvent = "DriftDetected"
	DriftGoneEvent     = "DriftGone"
	AppliedEvent       = "Applied"
	HealedEvent        = "Healed"
	PrunedEvent        = "Pruned"
	UndoneEvent        = "Undone"
	WriteFailedEvent   = "WriteFailed"
	StageChangedEvent  = "StageChanged"
)
