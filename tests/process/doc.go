// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package process starts programs that must not outlive us.
//
// Input: a Command (path, arguments, environment, log file). Output: a Process
// that tells when it ended and why, with the end of its log in the error. On
// Linux the kernel kills every child when this process dies, however it dies;
// elsewhere a child survives a kill -9 of its parent, and only that.
//
// Reserve hands out loopback ports that nobody else gets.
//
// The package never restarts a program: an unexpected end is reported, once.
package process
