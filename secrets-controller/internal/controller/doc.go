// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controller reconciles Applications into SecretReports: it gathers,
// runs the rules, and publishes the pages.
//
// Input: Applications (read-only) and SecretPolicies. Output: SecretReports,
// which it creates, deletes and writes the status of, events on the
// Application when a verdict changes, and metrics.
//
// It decides nothing: rules judge, and internal/status forms verdicts. It
// writes no other kind, and nothing at all while nothing has changed.
package controller
