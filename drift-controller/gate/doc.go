// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gate says which objects wait for a Secret that was not delivered.
//
// In: the findings of the secrets-controller that close the readiness gate, the
// desired objects, and who reads what. Out: the readers to hold, each with the
// reason.
//
// It never holds what would deliver the Secret, or nothing could cure it. What
// stands in a later wave waits for it anyway, as for anything not healthy.
package gate
