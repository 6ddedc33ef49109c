// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package publish writes what the drift-controller has to say: the pages of
// DriftReport and Inventory, and nothing else.
//
// In: an Application and the statuses of its pages. Out: pages in the cluster,
// written only where their content changed, and the pages of the last run when
// a controller starts. It never touches a managed object.
package publish
