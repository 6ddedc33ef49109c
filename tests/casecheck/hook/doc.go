// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package hook is a real webhook on loopback that cases may name.
//
// In: admission and conversion reviews of an API server over TLS. Out: its
// answers, by path: what is injected into objects, and how a custom resource is
// read in another version. Point turns the host that cases write into the
// address and certificate of this server.
//
// It talks to nobody, and holds no state.
package hook
