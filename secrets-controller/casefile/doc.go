// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package casefile reads cases for the rules, one folder each: manifests.yaml,
// perhaps live.yaml, and expect.yaml with the findings that are right. It runs
// the catalogue over a case and says what is wrong with the answer.
//
// Input: an fs.FS with one case. Output: the rule.Input, the expectation, and
// a list of mismatches (empty when the case is right).
//
// It decides nothing about secrets itself, and it never relaxes a comparison
// for a rule that is not written yet: Missing names those rules instead, so
// that a runner can count such cases apart.
package casefile
