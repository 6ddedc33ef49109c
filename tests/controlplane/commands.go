// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build commands

// Package controlplane pins the versions of everything an embedded Kubernetes
// control plane consists of. The blank imports name each command's packages,
// so that `go mod tidy` records their checksums; nothing here is compiled.
package controlplane

import (
	_ "go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/component-base/cli"
	_ "k8s.io/kubectl/pkg/cmd"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
