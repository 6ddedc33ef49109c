// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rollout says which stage a StageRollout grants to each of its
// Applications.
//
// In: the rollout, its Applications as their statuses describe them, and the
// time. Out: a grant for each, with what holds it. A grant rises one stage at a
// time, when every gate holds and every earlier wave has arrived; it falls on
// bad health or a fight over a field, never below Sync, where the commit that
// helps can still arrive. It never edits an Application, and where nothing is
// known it never rises.
package rollout
