// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package build

import (
	"context"
	"errors"
)

// acquire refuses: kube-apiserver and etcd are not supported on this system,
// so there is nothing that a lock could protect.
func acquire(context.Context, string, func()) (func(), error) {
	return nil, errors.New("the embedded control plane is built on Linux and macOS only; " +
		"use a cluster of your own and name its kubeconfig instead")
}
