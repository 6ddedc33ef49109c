// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package consumers finds which declared objects read or route to which other
// objects, and how.
//
// In: a desired set. Out: an index from the object that is read to its
// readers: workloads that read a ConfigMap or Secret, autoscalers and Services
// that stand on a workload, Ingresses and routes that lead to a Service. Where
// a reader reads one key or field, the index says which, so that a difference
// is told to those whom it touches. It reads pod templates wherever a kind
// carries one, so that a custom workload with the usual shape is found too. It
// looks at declarations only, never at a cluster.
package consumers
