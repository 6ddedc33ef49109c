// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"net/url"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// offered gives the address of spec.url, if it is one that is served. No message quotes it: it may hold a password in any
// place where a parser stumbles.
func offered(obj *sourcev1.GitRepository) (*url.URL, *status.Failure) {
	parsed, err := url.Parse(obj.Spec.URL)
	if err != nil || parsed.Host == "" {
		return nil, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "failed to parse spec.url: it has not the form https://host/path"))
	}
	switch parsed.Scheme {
	case "http", "https", "ssh":
		return parsed, nil
	default:
		return nil, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "spec.url has the scheme %q; http, https and ssh are served", parsed.Scheme))
	}
}
