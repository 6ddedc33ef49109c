// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/binaries"
	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/pki"
	"github.com/holdfast-gitops/holdfast/tests/process"
)

// embedded is a control plane of our own processes.
type embedded struct {
	layout    layout
	authority *pki.Authority
	parts     *supervisor
	ports     []*process.Reservation
}

// errStillNodes: a node without its controllers would never take a pod.
var errStillNodes = errors.New("option Still goes without nodes; set Nodes to 0 or let the controllers run")

func findBinaries(ctx context.Context, o Options) (string, error) {
	if o.Binaries != "" {
		return o.Binaries, binaries.Check(o.Binaries)
	}
	return binaries.Build(ctx, ".", o.Progress)
}

// newEmbedded prepares everything up to the first process.
func newEmbedded(o Options, f files, binaries string) (*embedded, error) {
	authority, err := f.prepare(o.AuditPolicy, time.Now())
	if err != nil {
		return nil, err
	}
	e := &embedded{
		layout:    layout{files: f, binaries: binaries, extra: o.APIServerFlags},
		authority: authority,
		parts:     newSupervisor(),
	}
	for _, port := range []*int{&e.layout.etcdPort, &e.layout.apiPort} {
		reservation, err := process.Reserve()
		if err != nil {
			return nil, errors.Join(err, e.stop())
		}
		e.ports = append(e.ports, reservation)
		*port = reservation.Port
	}
	return e, nil
}

// startStorage waits for etcd: an API server that finds none backs off for a
// second, which is a third of what the whole start takes.
func (e *embedded) startStorage(ctx context.Context, timeout time.Duration) error {
	etcd, err := e.parts.start(e.layout.etcd())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := net.JoinHostPort(loopback, strconv.Itoa(e.layout.etcdPort))
	return await(ctx, etcd, "etcd serves on "+address, func(ctx context.Context) error {
		var dialer net.Dialer
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	})
}

func (e *embedded) stop() error {
	e.parts.stopAll()
	var err error
	for _, port := range e.ports {
		err = errors.Join(err, port.Release())
	}
	return err
}

// StopAPIServer ends the API server alone, at once, as a crash does; etcd, and
// so the data, stays. Until StartAPIServer its port refuses connections.
func (c *Cluster) StopAPIServer() error {
	if c.embedded == nil {
		return ErrNotEmbedded
	}
	server := c.embedded.parts.find(binaries.APIServer)
	if server == nil {
		return errors.New("the API server is not running")
	}
	server.Stop(0)
	return nil
}

// StartAPIServer starts the API server on the port that it had, over the data
// that it had, and returns when it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if c.embedded == nil {
		return ErrNotEmbedded
	}
	if c.embedded.parts.find(binaries.APIServer) != nil {
		// A second one could bind the shared port, and both would answer.
		return errors.New("the API server is running already")
	}
	client, err := kubernetes.NewForConfig(c.admin)
	if err != nil {
		return fmt.Errorf("client for the readiness of the API server: %w", err)
	}
	server, err := c.embedded.parts.start(c.embedded.layout.apiServer())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.ReadyTimeout)
	defer cancel()
	return await(ctx, server, "the API server answers /readyz", func(ctx context.Context) error {
		// The body names the checks that fail.
		return client.RESTClient().Get().AbsPath("/readyz").Param("verbose", "").Do(ctx).Error()
	})
}
