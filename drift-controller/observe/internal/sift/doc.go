// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sift tells objects that somebody forgot from those that the system
// made.
//
// In: kinds, and the metadata of objects in an application's namespaces. Out:
// which may be strays, and who created them. Each exclusion stands in a table
// with its reason. It never asks a cluster, and never decides that an object
// may be deleted.
package sift
