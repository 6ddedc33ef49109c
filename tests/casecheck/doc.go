// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package casecheck runs cases through the product's own packages and says
// which of them come out right.
//
// In: a folder of cases and a control plane without controllers. Out: per case
// the problems, each with got and want, or the reason why it is not run here.
//
// A case runs in several ways, and all must agree. Replayed: its live objects
// are recreated as recorded and judged with the server's dry run. Recorded: the
// recorded objects are judged without one. Readonly: an account that may only
// read looks at them and judges. Twin: a declared value is then
// changed by hand, and must be caught. Acted: the state is made anew with the
// commands of live-action.md.
//
// It has no opinion of its own on drift: rendering, observing and judging are
// the product's, comparing is package verdict's.
package casecheck
