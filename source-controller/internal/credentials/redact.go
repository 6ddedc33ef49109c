// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import (
	"fmt"
	"net/url"
	"strings"
)

// mask stands where a value stood.
const mask = "***"

// tokenLength is the length from which a user name is taken for a token.
const tokenLength = 12

// Format prints no value, whatever the verb: an Auth that slips into a log line
// must not take a password with it.
func (a Auth) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, "credentials("+mask+")")
}

// MarshalJSON prints no value either, for structured logs.
func (a Auth) MarshalJSON() ([]byte, error) { return []byte(`"credentials(` + mask + `)"`), nil }

// Redact removes every value from a text. A server may echo the request, and
// Git repeats what a server says. A user name is kept unless it can be a token
// itself: masking "git" would make a riddle of every message.
func (a Auth) Redact(text string) string {
	_, encoded, _ := strings.Cut(a.Header(), " ")
	values := []string{encoded, a.bearer, a.password, url.QueryEscape(a.password), string(a.key), a.ssh.Passphrase, string(a.ssh.Identity)}
	if a.proxy != nil {
		password, _ := a.proxy.User.Password()
		values = append(values, a.proxy.User.String(), password, url.QueryEscape(password))
	}
	if len(a.ssh.Identity) == 0 && (len(a.username) >= tokenLength || a.password == "") {
		values = append(values, a.username, url.QueryEscape(a.username))
	}
	for _, value := range values {
		// One or two characters would shred the text and hide nothing.
		if len(value) > 2 {
			text = strings.ReplaceAll(text, value, mask)
		}
	}
	return text
}

// Public is the address as it may be shown and passed on: without user
// information, query and fragment, all of which can carry a token.
func Public(address *url.URL) string {
	shown := url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path, RawPath: address.RawPath}
	return shown.String()
}

// WithoutUser is the address that a connection dials: the query stays, since
// some hosts route by it.
func WithoutUser(address *url.URL) *url.URL {
	dialled := *address
	dialled.User = nil
	dialled.Fragment, dialled.RawFragment = "", ""
	return &dialled
}
