// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package health says whether an object is well.
//
// In: an object as the server stores it, and the expressions that an
// Application gives for kinds. Out: kstatus' word and a sentence. Kinds that do
// not follow kstatus and that many clusters have are known; an Application's
// own expressions go before them. What an expression cannot tell is Unknown,
// never well, and no message of it holds a value.
package health
