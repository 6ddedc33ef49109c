// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import (
	"fmt"
	"strings"
)

// Keys of a GitHub App's Secret, as in Flux.
const (
	githubAppIDKey    = "githubAppID"
	githubAppOwnerKey = "githubAppInstallationOwner"
	githubAppInstKey  = "githubAppInstallationID"
	githubAppKeyKey   = "githubAppPrivateKey"
	githubAppBaseKey  = "githubAppBaseURL"
)

// HasGitHubApp tells whether a Secret was made for a GitHub App, which needs a
// provider that says so.
func HasGitHubApp(data map[string][]byte) bool { return len(data[githubAppIDKey]) > 0 }

// CheckGitHubApp tells whether the Secret of a GitHub App is complete.
func CheckGitHubApp(data map[string][]byte) error {
	switch {
	case len(data[githubAppKeyKey]) == 0:
		return fmt.Errorf("%w: key %q not found", ErrInvalid, githubAppKeyKey)
	case (len(data[githubAppOwnerKey]) > 0) == (len(data[githubAppInstKey]) > 0):
		return fmt.Errorf("%w: it must contain exactly one of %q or %q", ErrInvalid, githubAppOwnerKey, githubAppInstKey)
	}
	return nil
}

// GitHubAppIdentity stands for all tokens of one installation. It holds the
// private key, so that an app whose key is revoked shares nothing with the same
// app under its new one, and is only ever fingerprinted.
func GitHubAppIdentity(data map[string][]byte) string {
	var parts []string
	for _, key := range []string{githubAppIDKey, githubAppOwnerKey, githubAppInstKey, githubAppBaseKey, githubAppKeyKey} {
		parts = append(parts, string(data[key]))
	}
	return strings.Join(parts, "\x00")
}
