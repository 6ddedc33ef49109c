// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package keyedpath writes field paths as JSON pointers whose list items stand
// by their keys, and reads values by them.
//
// In: a structured-merge-diff path or set, or a pointer as people write it in
// ignore rules. Out: the other form, or the value at the path. A pointer looks
// like /spec/template/spec/containers/[name=api]/env/[name=LEVEL]; an item of
// a set of scalars is [=value], an item of an atomic list its index. The
// package never needs a schema: the paths carry what is needed.
package keyedpath
