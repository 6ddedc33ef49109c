// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/binaries"
)

// ErrNotEmbedded means that something was asked of a cluster that Start did
// not start: its API server's log and life are its owner's.
var ErrNotEmbedded = errors.New("not an embedded control plane: it has no audit log here and is not ours to stop; " +
	"run without a kubeconfig to get an embedded one")

// Cluster is a Kubernetes API that is up.
type Cluster struct {
	options         Options
	dir             string
	temporary       bool
	admin           *rest.Config
	adminKubeconfig string
	// embedded is nil for a cluster that was there before.
	embedded *embedded
	stop     func() error
	// audit is the log, read as far as it was asked for.
	audit     *audit.Log
	auditOnce sync.Once
}

// Start starts a control plane, or connects to the one that the options name.
// It ends when the context does, or by Stop, whichever comes first.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	c := &Cluster{options: options.withDefaults()}
	if options.Kubeconfig != "" {
		if err := c.makeDir(""); err != nil {
			return nil, err
		}
		if err := c.connect(ctx); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
		return c, nil
	}
	if options.Still && options.Nodes > 0 {
		return nil, errStillNodes
	}
	// First, since it may take minutes or fail: a folder would be left over.
	folder, err := findBinaries(ctx, c.options)
	if err != nil {
		return nil, err
	}
	if err := c.makeDir(options.Dir); err != nil {
		return nil, err
	}
	if err := c.launch(ctx, folder); err != nil {
		// The folder stays, also a temporary one: the error names logs in it.
		return nil, err
	}
	return c, nil
}

func (c *Cluster) makeDir(dir string) error {
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "holdfast-cluster-")
		c.temporary = true
	}
	if err != nil {
		return fmt.Errorf("folder of the cluster: %w", err)
	}
	if c.dir, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("folder of the cluster: %w", err)
	}
	return nil
}

// launch starts the embedded control plane and ties it to the context.
func (c *Cluster) launch(ctx context.Context, binaries string) error {
	e, err := newEmbedded(c.options, files(c.dir), binaries)
	if err != nil {
		return err
	}
	c.embedded = e
	c.stop = sync.OnceValue(e.stop)
	context.AfterFunc(ctx, func() { _ = c.stop() })
	if err := c.boot(ctx); err != nil {
		return errors.Join(err, c.stop())
	}
	return nil
}

func (c *Cluster) boot(ctx context.Context) error {
	if err := c.embedded.startStorage(ctx, c.options.ReadyTimeout); err != nil {
		return err
	}
	var err error
	if c.admin, err = c.Config(adminUser, mastersGroup); err != nil {
		return err
	}
	c.adminKubeconfig = c.embedded.layout.files.kubeconfig("admin")
	if err := writeKubeconfig(c.adminKubeconfig, adminUser, c.admin); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	return c.startControllers(ctx)
}

// Embedded tells whether Start started this cluster.
func (c *Cluster) Embedded() bool { return c.embedded != nil }

// Dir is the folder with logs, kubeconfigs and data.
func (c *Cluster) Dir() string { return c.dir }

// Stop ends an embedded control plane and returns when its last process is
// gone; a temporary folder is removed. A cluster that was there before stays
// as it is. Calling it again does nothing.
func (c *Cluster) Stop() error {
	var err error
	if c.stop != nil {
		err = c.stop()
	}
	if c.temporary {
		err = errors.Join(err, os.RemoveAll(c.dir))
	}
	return err
}

// Failed is closed when a component ended that should not have; Err says why.
// For a cluster that is not embedded it stays open.
func (c *Cluster) Failed() <-chan struct{} {
	if c.embedded == nil {
		return nil
	}
	return c.embedded.parts.failed
}

// Err is the first unexpected end of a component, with the end of its log.
func (c *Cluster) Err() error {
	if c.embedded == nil {
		return nil
	}
	return c.embedded.parts.failure()
}

// AuditLog is the path of the API server's audit log.
func (c *Cluster) AuditLog() (string, error) {
	if c.embedded == nil {
		return "", ErrNotEmbedded
	}
	return c.embedded.layout.files.auditLog(), nil
}

// Audit returns all requests that were answered before the call. It sends a
// marker and waits until the log shows it, since an event may be written a
// moment after its client has the answer; the policy must log /version.
func (c *Cluster) Audit(ctx context.Context) ([]audit.Event, error) {
	path, err := c.AuditLog()
	if err != nil {
		return nil, err
	}
	c.auditOnce.Do(func() { c.audit = &audit.Log{Path: path} })
	return auditUpTo(ctx, c.audit, c.admin)
}

// Kubectl is the path of a kubectl: the one that belongs to the embedded
// control plane, or that of the PATH for another cluster.
func (c *Cluster) Kubectl() (string, error) {
	if c.embedded != nil {
		return filepath.Join(c.embedded.layout.binaries, binaries.Kubectl), nil
	}
	path, err := exec.LookPath(binaries.Kubectl)
	if err != nil {
		return "", fmt.Errorf("a cluster that is not embedded is used with the kubectl of the PATH: %w", err)
	}
	return path, nil
}
