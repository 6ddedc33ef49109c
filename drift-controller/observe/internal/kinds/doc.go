// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kinds is an index over what API discovery said.
//
// In: the resource lists of a server, and the group versions that it could not
// tell. Out: the resource of a kind, the scopes of all kinds, and one version
// of each kind that can be listed. It never asks a server.
package kinds
