// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitverify decides whether a commit or tag is signed by a key that is
// trusted.
//
// In: the objects with their signatures, what is to be verified, and the data
// of the Secret with the trusted keys.
// Out: a sentence that names the keys, or a Refusal that says what does not
// hold.
//
// Both OpenPGP and SSH signatures are known; one trusted key suffices. It never
// takes an object for verified that it did not verify, and it talks to nobody:
// no key server, no agent.
package gitverify
