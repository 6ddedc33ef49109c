// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package actuate is the only writer of managed objects.
//
// In: the steps of a plan, the declarations they are about, and a grant: the
// stage, the accounts to act as, and what the Project refuses, all read anew
// just before. Out: an outcome for each step. It checks every step against the
// grant once more, reads the live object, and writes only if that is what was
// judged: an apply names UID and resourceVersion, a heal is a JSON patch that
// tests both, a deletion has the UID as its precondition. An object that has
// moved on is no failure: it is judged again.
//
// It decides nothing: what is not in a step is not written, and nothing here
// retries a write that was refused. It knows neither how objects are observed
// nor where intents are recorded.
package actuate
