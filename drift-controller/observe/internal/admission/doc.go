// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package admission tells which mutating configurations match an object.
//
// In: mutating webhook configurations, mutating admission policies and their
// bindings, as values. Out: the names of those that match a create or update
// of an object, and a key that changes when any of them does. Match conditions
// in CEL are not evaluated: such a configuration may have changed the object.
// It never asks a cluster.
package admission
