// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package declaration turns manifests into a neutral model of what Git says
// about secrets: who produces which Secret with which keys, who consumes them,
// and which stores deliver them.
//
// Input: a YAML stream (rendered, raw or masked) or single live objects.
// Output: a Set of values, each with the JSON pointer it was read from.
//
// Objects are read without their Go types: the types of the External Secrets
// Operator lag behind its releases, and a typed decode drops silently what it
// does not know. Defaults are applied while reading, because a rule that
// forgets them misses the commonest case.
//
// The model keeps no value of a Secret, only its Shape and a keyed digest. It
// never reads the cluster, and it never judges: that is what rules are for.
package declaration
