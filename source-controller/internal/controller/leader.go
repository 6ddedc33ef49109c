// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/options"
)

// leaderLag is how long an answer about the leader is taken for true. It bounds
// the requests that downloads from a standby cause.
const leaderLag = time.Second

// newLock names this process by the address at which it serves artifacts: a
// standby finds the leader in the lease, and needs no other right for it.
func newLock(cfg *rest.Config, opts options.Options, lease string) (resourcelock.Interface, error) {
	address, err := reachableAt(opts.Artifact.StorageAddress)
	if err != nil {
		return nil, err
	}
	return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, opts.Namespace, lease,
		resourcelock.ResourceLockConfig{Identity: address + "_" + string(uuid.NewUUID())},
		cfg, opts.LeaderElection.RenewDeadline)
}

// reachableAt gives the address of a listener as others in the cluster reach it.
func reachableAt(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("--storage-addr %s: %w", listen, err)
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return listen, nil
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", fmt.Errorf("asking for the addresses of this machine: %w", err)
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			return net.JoinHostPort(network.IP.String(), port), nil
		}
	}
	return net.JoinHostPort("127.0.0.1", port), nil
}

// leaseReader finds out who leads.
type leaseReader struct {
	reader client.Reader
	lease  types.NamespacedName
	now    func() time.Time

	mu      sync.Mutex
	address string
	at      time.Time
}

// leader gives the address at which the leader serves; empty while nobody leads.
func (l *leaseReader) leader(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Sub(l.at) < leaderLag {
		return l.address, nil
	}
	var lease coordinationv1.Lease
	if err := l.reader.Get(ctx, l.lease, &lease); err != nil {
		return "", fmt.Errorf("reading the lease %s: %w", l.lease, err)
	}
	l.address, l.at = holder(lease), l.now()
	return l.address, nil
}

// holder reads the address out of a lease. Flux's controller names itself by its
// host, which no standby of ours can take for an address.
func holder(lease coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	address, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
	if _, _, err := net.SplitHostPort(address); err != nil {
		return ""
	}
	return address
}
