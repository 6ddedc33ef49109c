// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package credentials turns the data of a Secret and the address of a remote
// into what a connection needs.
//
// In: the address of a source, and the data of the Secret that it names.
// Out: an address without user information, an authorization header, extra
// certificate authorities and a client certificate.
//
// Values leave the package only through the accessors that a connection uses.
// They never stand in an error, and printing an Auth prints no value; Redact
// removes them from texts that others wrote, such as the answer of a server.
package credentials
