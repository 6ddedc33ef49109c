// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package restraint remembers what was tried, and says what is therefore held.
//
// In: how steps ended, and when. Out: objects whose next try has to wait, with
// capped backoff and for ever; and places that were reverted so often that
// another writer must be at them: those are contested, and left alone until
// some time has passed without a revert. The time comes in as a value; the
// package never writes and never decides what is written instead.
package restraint
