// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build pins

// Package tools pins the API modules of other projects that CRDs are generated
// from; the generator itself is a tool line of this module's go.mod. It is
// never compiled.
package tools

import (
	_ "github.com/external-secrets/external-secrets/apis/externalsecrets/v1"
	_ "github.com/external-secrets/external-secrets/apis/externalsecrets/v1alpha1"
	_ "github.com/external-secrets/external-secrets/apis/generators/v1alpha1"
	_ "github.com/fluxcd/source-controller/api/v1"
)
