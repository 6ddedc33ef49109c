// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rollouts brings StageRollouts to the Applications that name them.
//
// In: a StageRollout and its Applications, from the cache. Out: the grant of
// one Application, for whoever reconciles it to publish, and the rollout's own
// status, which says whose turn it is. The two meet in these statuses only. It
// never writes an Application.
package rollouts
