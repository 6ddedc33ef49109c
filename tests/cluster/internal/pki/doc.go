// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pki makes the certificates and keys of one control plane.
//
// Input: names, hosts and the time. Output: PEM bytes. It reads and writes no
// file, keeps no key but an Authority's own, and its keys are worth nothing
// outside the control plane that they were made for.
package pki
