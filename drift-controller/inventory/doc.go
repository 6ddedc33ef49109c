// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package inventory is an application's memory: which objects it has judged or
// applied, by UID, and a keyed digest of each declared path of what was last
// applied or agreed. It stores no value.
//
// In: the pages of the last run, and what this run judged. Out: the next
// memory and its pages, and the objects that are ours and no longer declared.
// An entry leaves only on proof that the object is gone or was handed over;
// a failed read or an incomplete render is no proof. It has no client.
package inventory
