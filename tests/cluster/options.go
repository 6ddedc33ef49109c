// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"io"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/audit"
)

// Options say what Start starts. The zero value is a control plane without
// nodes, in a temporary folder.
type Options struct {
	// Kubeconfig names a cluster to use instead of starting one. All other
	// options but Progress and ReadyTimeout are then ignored.
	Kubeconfig string
	// Dir receives data, certificates, kubeconfigs and logs. It may exist but
	// must hold no earlier control plane. Empty: a temporary folder that Stop
	// removes.
	Dir string
	// Binaries is a folder of executables. Empty: bin/k8s of the checkout,
	// built first if need be.
	Binaries string
	// Nodes is how many fake nodes there are. With none, pods stay Pending
	// and neither kube-scheduler nor kwok runs.
	Nodes int
	// Still runs no kube-controller-manager, so that objects stay exactly as
	// they were written: no rollout, no garbage collection, no binding. A
	// deleted namespace then never goes, and nodes are of no use.
	Still bool
	// AuditPolicy is a policy of audit.k8s.io/v1 in YAML. Empty:
	// audit.Policy(audit.Metadata).
	AuditPolicy string
	// APIServerFlags are added to the API server's; a flag that is there
	// already is replaced, as the last one wins.
	APIServerFlags []string
	// Progress receives the lines of a build. Empty: they are dropped.
	Progress io.Writer
	// ReadyTimeout bounds the wait for each part. Zero: 60 seconds.
	ReadyTimeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.AuditPolicy == "" {
		o.AuditPolicy = audit.Policy(audit.Metadata)
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.ReadyTimeout == 0 {
		o.ReadyTimeout = time.Minute
	}
	return o
}
