// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cloud gets short-lived registry logins from cloud providers.
//
// In: a provider, the repository, and the service account that an object acts
// as.
// Out: a login for the registry.
//
// Flux's own library talks to the clouds; this package is the seam before it,
// so that everything else can be tested without one. It never keeps a token
// longer than its cache, and never writes one anywhere.
package cloud
