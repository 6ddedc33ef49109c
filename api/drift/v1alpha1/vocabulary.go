// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Stage is a permission. Each stage includes the ones before it.
//
//	Observe   nothing is written; differences are reported
//	Sync      what Git changed is applied
//	SelfHeal  hand edits are reverted too, and deleted objects recreated
//	Prune     objects that Git dropped are deleted too
//
// +kubebuilder:validation:Enum=Observe;Sync;SelfHeal;Prune
type Stage string

// The stages in ascending order.
const (
	StageObserve  Stage = "Observe"
	StageSync     Stage = "Sync"
	StageSelfHeal Stage = "SelfHeal"
	StagePrune    Stage = "Prune"
)

// Class says why a difference exists, and with it whether it is drift.
//
// +kubebuilder:validation:Enum=Pending;Controller;Manual;Contested;Default;Removed;Webhook;Unowned;Missing;Stray;Unknown
type Class string

// The classes. Drift: Pending, Manual, Contested, Removed, Unowned, Missing.
// Explained: Controller, Default, Webhook. Counted apart: Stray, Unknown.
const (
	// ClassPending: Git has moved on, or a deployer's value is not Git's yet.
	ClassPending Class = "Pending"
	// ClassController: proven to be owned by another controller by design.
	ClassController Class = "Controller"
	// ClassManual: a human tool wrote it, or nobody is recorded as its writer.
	ClassManual Class = "Manual"
	// ClassContested: another controller writes what Git declares.
	ClassContested Class = "Contested"
	// ClassDefault: bookkeeping, schema default or server allocation.
	ClassDefault Class = "Default"
	// ClassRemoved: we applied it once and Git dropped it.
	ClassRemoved Class = "Removed"
	// ClassWebhook: nobody owns it and a mutating admission matches the object.
	ClassWebhook Class = "Webhook"
	// ClassUnowned: nobody owns it and nothing explains it.
	ClassUnowned Class = "Unowned"
	// ClassMissing: declared and not live.
	ClassMissing Class = "Missing"
	// ClassStray: live, and in no application's render or inventory.
	ClassStray Class = "Stray"
	// ClassUnknown: not readable, not typed or refused; never green.
	ClassUnknown Class = "Unknown"
)

// Precision says how the restored form of an object was found.
//
// +kubebuilder:validation:Enum=Restored;InPlace;DeclaredFields
type Precision string

// The rungs of the precision ladder, the best first.
const (
	// PrecisionRestored: a dry run under a throw-away name, what the API
	// server would store if the object were created now.
	PrecisionRestored Precision = "Restored"
	// PrecisionInPlace: a dry-run apply over the live object.
	PrecisionInPlace Precision = "InPlace"
	// PrecisionDeclaredFields: no dry run; declared fields only, plus what a
	// human tool owns.
	PrecisionDeclaredFields Precision = "DeclaredFields"
)
