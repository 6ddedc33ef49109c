// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plan says what would be done about a report, and what is refused.
//
// In: judgements, removed objects and the policy: the effective stage, what is
// approved, what is held and why. Out: ordered actions, each with the stage it
// needs and, where it is not allowed, the reason; and the steps that the one
// writer takes, at most one for an object. Observe is a plan whose actions are
// all refused. The text form is what golden tests, the CLI and the report show;
// the digest is what an Approval names: it covers objects by UID, paths, values
// and propagation, and not the revision.
//
// The package is pure: it has no client and no clock, and making a plan changes
// nothing.
package plan
