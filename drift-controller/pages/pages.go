// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pages spreads what is known of many objects over API objects that
// stay small: an object's share always stands on the page that its identity
// hashes to, so that one change rewrites one page.
//
// In: how many items there are and how large they may be. Out: the number of
// pages and the page of an identity. It knows nothing of what stands on them.
package pages

import (
	"hash/fnv"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Limit is the most bytes of JSON that a page may have.
const Limit = 256 << 10

// most keeps the number of API objects of one application bounded.
const most = 1024

// Count gives the number of pages for n items with at most perPage on each if
// they spread evenly: a power of two, so that it rarely changes. There is
// always one.
func Count(n, perPage int) int {
	count := 1
	for count*perPage < n && count < most {
		count *= 2
	}
	return count
}

// Of gives the page of an object, from 0.
func Of(id manifest.ID, count int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id.String())) // a hash never fails to write
	return int(h.Sum32() % uint32(count))
}
