// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
)

// mask stands where a value stood.
const mask = "***"

// Remote is a repository and how to reach it.
type Remote struct {
	Repository ocireference.Repository
	// Login is how the client proves itself; the zero value is anonymous.
	Login Login
	// Certificates are what is trusted beside the system's authorities and what
	// the client shows; nil for none.
	Certificates *credentials.Auth
	// Proxy leads there; nil asks the environment.
	Proxy *url.URL
	// Insecure allows plain HTTP, and any certificate where Certificates is nil.
	Insecure bool
}

// Login is a name and a password, or a token. Printing it prints no value.
type Login struct {
	username string
	password string
	refresh  string
	access   string
}

// NewLogin takes a login from a pull secret or a cloud.
func NewLogin(config authn.AuthConfig) Login {
	return Login{
		username: config.Username,
		password: config.Password,
		refresh:  config.IdentityToken,
		access:   config.RegistryToken,
	}
}

// Anonymous tells whether nothing is sent.
func (l Login) Anonymous() bool { return l == Login{} }

// Format prints no value, whatever the verb.
func (l Login) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, "login("+mask+")")
}

// MarshalJSON prints no value either, for structured logs.
func (l Login) MarshalJSON() ([]byte, error) { return []byte(`"login(` + mask + `)"`), nil }

// redact removes every value from a text that a server or a library wrote.
func (r Remote) redact(text string) string {
	values := []string{r.Login.password, r.Login.refresh, r.Login.access}
	if r.Proxy != nil {
		password, _ := r.Proxy.User.Password()
		values = append(values, password)
	}
	for _, value := range values {
		// One or two characters would shred the text and hide nothing.
		if len(value) > 2 {
			text = strings.ReplaceAll(text, value, mask)
			text = strings.ReplaceAll(text, url.QueryEscape(value), mask)
		}
	}
	return text
}

// fingerprint is the same for remotes that can share connections and tokens.
// It is keyed, so that it gives nothing away.
func (r Remote) fingerprint(key []byte) string {
	mac := hmac.New(sha256.New, key)
	parts := []string{r.Repository.Registry, r.Login.username, r.Login.password, r.Login.refresh, r.Login.access}
	if r.Certificates != nil {
		parts = append(parts, r.Certificates.Fingerprint(key))
	}
	if r.Proxy != nil {
		parts = append(parts, r.Proxy.String())
	}
	for _, part := range parts {
		// The length keeps "ab","c" apart from "a","bc".
		fmt.Fprintf(mac, "%d:%s", len(part), part)
	}
	fmt.Fprint(mac, r.Certificates == nil, r.Proxy == nil, r.Insecure, r.Repository.MayBePlain)
	return hex.EncodeToString(mac.Sum(nil))
}
