// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package observe reads a cluster for the drift-controller and the command
// line: kinds, schemas, live objects, their restored form, the evidence that
// explains differences, and strays.
//
// In: a client configuration, the account to act as, and declared objects.
// Out: values of package live for the deciding packages. Connect gives one
// Cluster, As the same cluster seen with the rights of a service account; both
// share what is the same for everybody (discovery, schemas, admission
// configurations) and the limits.
//
// Workflow per application: Scopes, before anything is rendered; Gather, once;
// then for each object Observe, which is Read (one GET) and Restore (at most
// two dry runs). The restored form is what a server-side apply of the
// declaration would store: under a throw-away name (Restored), or else under
// its own (InPlace), or else not at all (DeclaredFields).
//
// Groups are not impersonated: the API server gives a service account its own
// groups, and so the right to impersonate that account is all that is needed.
//
// The package never sends a write that persists: the calls with a write verb
// stand in requests.go, and are dry runs and a question to RBAC. An account that
// admission does not hold to dry runs is asked for none (NoDryRuns). A failure to read is
// a value (Unknown with a reason), never an absence. What a server says of a
// Secret is masked before it leaves.
package observe
