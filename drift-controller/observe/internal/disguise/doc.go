// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package disguise makes a copy of a declared object that can be dry-run as a
// new one beside the live object, and undoes it in the answer.
//
// In: the declared object. Out: a copy under a throw-away name, without what
// identifies a stored object; and, for the answer, the same object under its
// own name again, wherever the server or a webhook copied the name to. It
// never talks to a server.
package disguise
