// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"net/url"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// notOffered are the fields of Flux's API that this build does not serve. An
// object that sets one is stopped, since an artifact that ignores it would be
// another one than was asked for.
var notOffered = []struct {
	field string
	set   func(*sourcev1.GitRepository) bool
}{
	{"spec.verify", func(o *sourcev1.GitRepository) bool { return o.Spec.Verification != nil }},
	{"spec.proxySecretRef", func(o *sourcev1.GitRepository) bool { return o.Spec.ProxySecretRef != nil }},
	{"spec.recurseSubmodules", func(o *sourcev1.GitRepository) bool { return o.Spec.RecurseSubmodules }},
	{"spec.include", func(o *sourcev1.GitRepository) bool { return len(o.Spec.Include) > 0 }},
	{"spec.sparseCheckout", func(o *sourcev1.GitRepository) bool { return len(o.Spec.SparseCheckout) > 0 }},
	{"spec.serviceAccountName", func(o *sourcev1.GitRepository) bool { return o.Spec.ServiceAccountName != "" }},
	{"spec.provider", func(o *sourcev1.GitRepository) bool { return o.GetProvider() != sourcev1.GitProviderGeneric }},
}

// offered checks that an object asks for nothing that this build cannot do, and
// gives its address. No message quotes the address: it may hold a password in
// any place where a parser stumbles.
func offered(obj *sourcev1.GitRepository) (*url.URL, *status.Failure) {
	for _, missing := range notOffered {
		if missing.set(obj) {
			return nil, stopped(missing.field, "remove the field")
		}
	}
	address, err := url.Parse(obj.Spec.URL)
	if err != nil || address.Host == "" {
		return nil, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "failed to parse spec.url: it has not the form https://host/path"))
	}
	switch address.Scheme {
	case "http", "https":
		return address, nil
	case "ssh":
		return nil, stopped("the scheme ssh of spec.url", "use https")
	default:
		return nil, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "spec.url has the scheme %q; http and https are served", address.Scheme))
	}
}

func stopped(what, instead string) *status.Failure {
	return &status.Failure{Halt: halt.Stalledf(contract.NotOfferedReason,
		"%s is not offered yet by this build: %s, or leave this object to another source-controller by a label selector", what, instead)}
}
