// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report turns what the controllers published into what people read.
//
// In: Applications with their DriftReport and SecretReport pages, or the
// differences of a local render; the time, and a Style (width, colour, time
// zone). Out: the text of one screen, or the same as JSON or YAML, and whether
// it amounts to a difference.
//
// A verdict whose end has passed, or that is about an older declaration, is
// shown as Unknown in every format: a controller that died is not green for
// ever.
//
// It never reads the cluster, the clock or the environment, and it prints no
// text of the cluster raw: what could move a terminal's cursor is escaped.
package report
