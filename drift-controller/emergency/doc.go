// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package emergency says what a BreakGlass stops, and for how long.
//
// In: the BreakGlasses of an application, the hold that its status remembers,
// its Project's limits, and the drift that stands. Out: which objects may not
// be written and why, the next hold, and what each BreakGlass is told about the
// edits. An emergency ends by time or by deletion; with onExpiry Hold healing
// stays off while edits are left that Git does not have, and the hold stands in
// the Application's status, where no deletion reaches it.
//
// The package is pure: the time comes in as a value, and it never writes.
package emergency
