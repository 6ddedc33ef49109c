// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
)

// Fault is what went wrong, as far as a caller may act on it.
type Fault string

// Faults.
const (
	// Unreachable: the remote did not answer as a Git server. The default.
	Unreachable Fault = "Unreachable"
	// Unauthorized: the remote wants credentials, or other ones.
	Unauthorized Fault = "Unauthorized"
	// NotFound: no such repository, reference or commit.
	NotFound Fault = "NotFound"
	// TimedOut: the remote was too slow.
	TimedOut Fault = "TimedOut"
	// TooLarge: a limit was reached.
	TooLarge Fault = "TooLarge"
	// Redirected: the remote lives elsewhere.
	Redirected Fault = "Redirected"
	// Broken: the mirror on our own disk is damaged.
	Broken Fault = "Broken"
	// Unsupported: a repository of a form that is not offered.
	Unsupported Fault = "Unsupported"
)

// Error is a failed operation on a remote. Its text carries no credential.
type Error struct {
	Fault   Fault
	Message string
	Cause   error
}

// Error is the message: what failed, where, and what to do.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause, for errors.Is on the context's errors.
func (e *Error) Unwrap() error { return e.Cause }

// FaultOf gives the fault of an error of this package, empty for others.
func FaultOf(err error) Fault {
	var fault *Error
	if errors.As(err, &fault) {
		return fault.Fault
	}
	return ""
}

// signs are phrases in git's own messages (in the C locale) and the fault they
// tell. The first that occurs decides; they stand from specific to general.
var signs = []struct {
	phrase string
	fault  Fault
}{
	{"returned error: 301", Redirected},
	{"returned error: 302", Redirected},
	{"returned error: 303", Redirected},
	{"returned error: 307", Redirected},
	{"returned error: 308", Redirected},
	{"returned error: 401", Unauthorized},
	{"returned error: 403", Unauthorized},
	{"returned error: 404", NotFound},
	{"Authentication failed", Unauthorized},
	{"could not read Username", Unauthorized},
	{"could not read Password", Unauthorized},
	{"couldn't find remote ref", NotFound},
	{"not found", NotFound},
	{"no such commit", NotFound},
	{"did not send all necessary objects", Unreachable},
	{"unable to access", Unreachable},
	{"early EOF", Unreachable},
	{"hung up unexpectedly", Unreachable},
	{"not a git repository", Broken},
	{"bad object", Broken},
	{"object file", Broken},
	{"packfile", Broken},
	{"unable to read tree", Broken},
	{"could not read", Broken},
	{"Could not read", Broken},
	{"cannot lock ref", Broken},
	{".lock': File exists", Broken},
	{"bad config", Broken},
	{"unable to create temporary file", Broken},
}

// classify reads the fault from what git wrote. What the server wrote does not
// count: a damaged repository there must not make us drop the mirror here.
func classify(said string) Fault {
	said = strings.Join(slices.DeleteFunc(strings.Split(said, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "remote:")
	}), "\n")
	for _, sign := range signs {
		if strings.Contains(said, sign.phrase) {
			return sign.fault
		}
	}
	return Unreachable
}

// oneLine turns git's report into one line for a condition: advice and progress
// add nothing there, and a server's banner is bounded.
func oneLine(said string) string {
	const most = 600
	var parts []string
	for _, line := range strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
		line, _, _ = strings.Cut(line, ": terminal prompts disabled")
		if line == "" || strings.HasPrefix(line, "hint:") || strings.HasPrefix(line, "warning:") {
			continue
		}
		parts = append(parts, line)
	}
	text := strings.Map(printable, strings.Join(parts, "; "))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// printable takes control characters out of what a server wrote: it is shown in
// terminals.
func printable(r rune) rune {
	if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// ended tells why a context ended before git did, nil if it did not.
func ended(ctx context.Context) *Error {
	cause := context.Cause(ctx)
	if cause == nil {
		return nil
	}
	var own *Error
	if errors.As(cause, &own) {
		return own
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Fault: TimedOut, Cause: cause, Message: "the remote did not answer in time; see spec.timeout"}
	}
	return &Error{Fault: Unreachable, Cause: cause, Message: "the operation was cancelled"}
}
