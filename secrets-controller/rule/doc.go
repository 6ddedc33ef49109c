// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rule is the catalogue of checks on declared secrets, one file per
// rule. Catalogue is the ordered list; Run runs all of it, because a report is
// wanted and not a chain that stops at the first fault.
//
// Input: one value with everything that was gathered: the declarations of the
// application, what its neighbours declare, what is live, the policy. Output:
// findings, sorted. The same input always gives the same output.
//
// A new rule is a new file with one Rule value, one line in Catalogue, and a
// test pair: an input that fires and its nearest neighbour that stays silent.
//
// Rules never read the cluster or a clock, and never see a value of a Secret:
// the model has none. What cannot be decided is a finding of severity Unknown
// with its reason, never silence.
package rule
