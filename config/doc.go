// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package config is the install's manifests, as `holdfast install` and
// `holdfast bootstrap` carry them: the very files of this folder.
//
// In: nothing. Out: a file system. It is a module of its own because Go embeds
// nothing from outside a module, and a copy in the CLI's would rot.
package config

import "embed"

// Files are the manifests, without samples and without monitoring, which needs
// the kinds of the Prometheus operator.
//
//go:embed crd default manager overlays policy rbac
var Files embed.FS
