// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sshlink connects to Git servers over SSH.
//
// In: an address, a private key with its passphrase, known hosts, a proxy, and
// the algorithms that are allowed.
// Out: a session with git-upload-pack on the other side; or a socket by which
// the git program reaches such a session, since a machine may have no ssh.
//
// Git starts a program to reach a host. That program is our own binary again
// (Pipe), and all it does is to carry bytes to a socket of this process: keys
// and known hosts never leave the process, and what failed is known as an error
// and not as a text that git wrote.
//
// A host whose key is not among the known ones is never talked to.
package sshlink
