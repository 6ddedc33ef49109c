// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package leak plants secret values wherever one may stand (in Git, in the
// cluster, in what sources are reached by), lets every controller and every
// verb of the command line meet them, and greps for four of their characters
// in all that comes out.
//
// In: the built controllers, at their highest verbosity, and the built binary.
// Out: statuses, events of both kinds and those that a receiver gets, logs,
// metrics, probes, profiles, rendered manifests and every screen, searched. The
// source artifact is Git's own bytes, and so is what stands in a spec: neither
// is searched.
package leak
