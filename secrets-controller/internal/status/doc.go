// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package status turns the outcome of the rules into the pages of a
// SecretReport: verdicts, counts, headline, findings, conditions.
//
// Input: findings, what was observed, and the pages that are there. Output:
// the status of each page, every one far below the size that an object may
// have, and unchanged where nothing but the time would differ.
//
// It reads nothing, writes nothing, and has no opinion about severities. A
// verdict that leans on anything unknown is Unknown and never Pass.
package status
