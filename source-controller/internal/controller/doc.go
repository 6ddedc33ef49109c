// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controller runs sources: it reads objects, keeps their artifacts up to
// date and writes their status.
//
// In: objects of group source.toolkit.fluxcd.io, Secrets they name, remotes.
// Out: artifacts in the store, status and events of those objects.
//
// One pipeline serves every kind of source; what differs is an adapter (kind).
// A pass gathers facts and package status turns them into conditions, once, at
// its end. The package writes nothing but the status and the finalizer of
// sources, and events.
package controller
