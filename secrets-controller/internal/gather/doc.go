// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gather collects what the rules look at into one rule.Input: the
// rendered artifact of an Application, what its neighbours declare, and what
// the cluster holds of stores, producers and the metadata of Secrets.
//
// Input: Applications and their status.rendered. Output: values, and for each
// thing that could not be read the reason, since an absence is known only
// where somebody looked.
//
// Artifacts are kept by digest, so an unchanged Application is neither
// downloaded nor parsed again. Live kinds are watched, not listed anew: an idle
// cluster costs no request. The package writes nothing, and it never requests
// the content of a Secret: metadata only.
package gather
