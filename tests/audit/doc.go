// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package audit reads what an API server wrote down about its requests, so
// that a test can prove who sent which writes.
//
// Input: the JSON audit log (audit.k8s.io/v1, an event a line). Output: one
// Event for each answered request, and filters over them. It also makes the
// policies that the API server is started with.
//
// What it can't see, and a proof must know:
//
//   - Only answered requests are read (stage ResponseComplete): a watch shows
//     when it ends, not while it runs.
//   - An event may reach the log a moment after the client has its answer.
//     Cluster.Audit of package cluster waits for a marker of its own; a reader
//     of the bare file has to.
//   - A dry run is recognised by the query (`dryRun=All`), which is where the
//     API asks for it on create, update and patch. A delete may carry it in
//     its body instead, and the log has bodies from level Request on only: at
//     level Metadata such a delete looks like a real one, which errs on the
//     safe side.
//
// The package never talks to a cluster.
package audit
