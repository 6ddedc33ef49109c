// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package demo replays the incident that Holdfast exists for, on a real API
// server with a real Git server and the three controllers.
//
// In: a cluster and running controllers. Out: a story on the terminal: what was
// deployed, what was changed by hand, what Holdfast says of it, that it wrote
// nothing, and how the application turns Synced when Git learns the truth.
// What it plays (Helm's old deployment, people with kubectl, an autoscaler) it
// does through the real API; what it prints of Holdfast comes from the
// cluster, by the same command that a reader can run.
package demo
