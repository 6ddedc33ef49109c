// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"unicode"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// Fault is the kind of an Error.
type Fault string

// Faults.
const (
	Unauthorized Fault = "Unauthorized" // the login is missing, wrong or not enough
	NotFound     Fault = "NotFound"     // no such repository, tag, manifest or blob
	Untrusted    Fault = "Untrusted"    // the certificate does not hold
	Unreachable  Fault = "Unreachable"  // no answer
	TimedOut     Fault = "TimedOut"     // spec.timeout passed
	Rubbish      Fault = "Rubbish"      // an answer that is none, or bytes with another digest
	TooLarge     Fault = "TooLarge"     // above a limit
	Unsupported  Fault = "Unsupported"  // nothing that can be an artifact
	Local        Fault = "Local"        // our own disk
)

// Error is a registry that cannot be read. Its text holds no credential and no
// query of an address.
type Error struct {
	Fault Fault
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }

// Unwrap gives the cause, whose own text must not be shown.
func (e *Error) Unwrap() error { return e.cause }

// FaultOf is the fault of an error; empty where it is none of a registry.
func FaultOf(err error) Fault {
	var e *Error
	if errors.As(err, &e) {
		return e.Fault
	}
	return ""
}

// maxText bounds what a registry can make us write into a status.
const maxText = 600

// queries are addresses with a query, which may be a signature that opens the
// blob to everyone who reads it.
var queries = regexp.MustCompile(`(https?://[^\s"'?]+)\?[^\s"']*`)

// fail makes an Error of what a library returned, with the words of ours before
// it.
func (r Remote) fail(what string, err error) error {
	var done *Error
	if errors.As(err, &done) {
		return done
	}
	fault := faultOf(err)
	text := err.Error()
	if fault == TimedOut {
		text = "spec.timeout passed before the registry had answered; raise it or look at the registry"
	}
	return &Error{Fault: fault, text: r.clean(what + ": " + text), cause: err}
}

// fault makes an Error of our own finding.
func (r Remote) fault(fault Fault, text string) error {
	return &Error{Fault: fault, text: r.clean(text)}
}

func (r Remote) clean(text string) string {
	text = r.redact(queries.ReplaceAllString(text, "$1?"+mask))
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

func faultOf(err error) Fault {
	var response *errcode.ErrorResponse
	var certificate *tls.CertificateVerificationError
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case errors.As(err, &response):
		return faultOfCode(response.StatusCode)
	case errors.Is(err, errdef.ErrNotFound):
		return NotFound
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return Unauthorized
	case errors.Is(err, errdef.ErrSizeExceedsLimit), errors.Is(err, errdef.ErrTooManyPages):
		return TooLarge
	case errors.As(err, &certificate):
		return Untrusted
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF):
		return Unreachable
	default:
		return Rubbish
	}
}

func faultOfCode(code int) Fault {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Unauthorized
	case http.StatusNotFound:
		return NotFound
	default:
		return Unreachable
	}
}

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
