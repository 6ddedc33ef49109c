// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cluster gives tests, the demo and scripts a Kubernetes API: an
// embedded control plane of real binaries, or a cluster that exists already.
//
// Input: Options. Output: a Cluster with configurations for any user, a folder
// of logs and an audit log. An embedded one consists of etcd, kube-apiserver,
// kube-controller-manager and, if fake nodes are asked for, kube-scheduler and
// kwok, so that Deployments roll out and become Ready without a container.
//
// Start works in this order: executables (built when missing), certificates
// and files, etcd, API server, and when that is ready the others together. It
// returns when a pod could be created and scheduled. Everything listens on
// loopback only and ends with this process, a cancelled context or Stop.
//
// In an embedded cluster RBAC decides, each user has a client certificate of
// its own, and each of the controller manager's loops its own account: the
// audit log tells them apart.
//
// The package never restarts a part that died: Failed and Err tell. It never
// reads KUBECONFIG, and the variables EnvKubeconfig and EnvBinaries in Main
// only: an exported KUBECONFIG must not send a test run to production.
package cluster
