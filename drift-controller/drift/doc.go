// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drift judges: it gives every difference a class, with the rule that
// decided it, and every object a verdict.
//
// In: an observation, its differences, the evidence that was gathered and the
// baseline of the inventory, all as values. Out: judgements, and a report over
// an application. The heart is two ordered tables in table.go, one for paths
// that Git declares and one for those it does not; the first row that fits
// decides, and the last row fits always, so that no difference is without a
// class. It never reads a cluster, and never decides what is done about a
// difference: that is package plan.
package drift
