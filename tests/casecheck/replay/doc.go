// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package replay brings a cluster into the state that a case is about.
//
// In: a case and a cluster of its own, without controllers. Out: the live
// objects, either exactly as they were recorded (State), with every field and
// every entry of managedFields, or made anew by what happened (Act), with the
// commands of live-action.md.
//
// It writes to the cluster as the administrator and never cleans up: the
// cluster is thrown away.
package replay
