// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gather collects what the rules look at into one rule.Input: the
// rendered artifact of an Application, the files below its path in the source
// artifact, what its neighbours declare, and what the cluster holds of stores,
// producers and the metadata of Secrets.
//
// Input: Applications and their status.rendered. Output: values, and for each
// thing that could not be read the reason, since an absence is known only
// where somebody looked.
//
// What was read of artifacts is kept by digest, so an unchanged Application is
// neither downloaded nor parsed again; of files in Git places and names only.
// Live kinds are watched, not listed anew: an idle cluster costs no request. The
// package writes nothing, and it never requests the content of a Secret:
// metadata only.
package gather
