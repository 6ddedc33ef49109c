// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package screen lays text out: lines in colours, prose that wraps, tables that
// shrink, and the formats that any document can be printed in.
//
// In: pieces of text and a Style (width, colour, time zone). Out: the text of
// one screen. Every piece passes through Clean on its way, so that nothing of
// a cluster moves a terminal's cursor.
//
// It knows nothing of what it prints, and never reads the environment.
package screen
