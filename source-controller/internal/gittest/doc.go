// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gittest serves real Git repositories over HTTP to tests, with the git
// program's own server.
//
// In: files to commit, and how the server should behave (credentials, a pause,
// a redirect).
// Out: addresses to fetch from, and counts of what was asked and sent.
//
// It listens on loopback only and is imported by tests alone.
package gittest
