// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schema says what the schema of a custom resource has against an
// object: wrong types, values outside an enumeration, unknown fields.
//
// In: an object as a tree, and the schema from a CustomResourceDefinition:
// that of the cluster, or one that comes with the package. Those in crd/ are
// generated from the apis module of the External Secrets Operator, whose types
// lag behind its releases; later.go lists what came, went and changed since.
// Out: violations with a pointer, in words of our own.
//
// It never repeats a value that is not a word of the schema, and it does not
// evaluate CEL: what only the server can tell, the server tells.
package schema
