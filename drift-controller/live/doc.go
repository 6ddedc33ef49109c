// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package live holds the value types for what was seen in the cluster: the
// live object, its restored form, who owns which field, and what proves that
// another controller owns a field by design.
//
// The package observe fills them, the pure packages read them. It never talks
// to a cluster.
package live
