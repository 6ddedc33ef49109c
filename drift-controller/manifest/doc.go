// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifest turns YAML and JSON text into Kubernetes objects with an
// identity and an origin.
//
// In: a file name and its bytes. Out: objects in the order of the text, each
// with the file and line that declares it; a Set of them in a total order; the
// scopes that CRDs among them declare.
//
// Values read as kubectl reads them (YAML 1.1 words, integers exact to 64 bits,
// dates as text), with one difference on purpose: a mapping key that stands
// twice is an error, since the last one would win without a word.
//
// It never talks to a cluster, never fills in a namespace, never drops a field
// and never quotes a value in an error.
package manifest
