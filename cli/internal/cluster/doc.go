// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cluster reads what the controllers published, with the user's own
// kubeconfig.
//
// In: the connection flags, which are kubectl's. Out: Applications and their
// pages; a Fault where that fails, which says what to do next.
//
// It never writes to the cluster.
package cluster
