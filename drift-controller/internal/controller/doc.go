// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controller reconciles Applications.
//
// Reconcile is the table of contents: gather the inputs, render, make the
// desired set, judge, report, publish. Each step is a file of its own; each
// gives a value to the next, or a halt that package status turns into
// conditions. The package has no verdict of its own and writes nothing but the
// status of Applications, the pages of package publish, and events.
package controller
