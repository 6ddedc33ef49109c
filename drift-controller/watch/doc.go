// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package watch knows, at all times and at little cost, in which version each
// watched object is, and tells when that changes.
//
// In: which application wants which kinds in which namespaces, with the client
// of its account. Out: a Stamp per object, and a call for every change that
// may matter. A watch is shared by all applications with the same cluster,
// account, resource and namespace; it ends when the last of them lets go.
//
// Only metadata is asked for, and of that a Stamp is all that stays. A change
// of status only is told apart where the kind counts a generation, and is not
// announced. Kinds without one (ConfigMap, Secret, Service, RBAC, autoscalers,
// claims) announce every write. Cluster-scoped kinds are watched as a whole:
// one watch per declared name would cost more than the few objects there are.
//
// A watch that is refused is retried for ever, with backoff, and disturbs no
// other; Err says why. The package never reads an object in full, never writes,
// and never decides whether a change is drift.
package watch
