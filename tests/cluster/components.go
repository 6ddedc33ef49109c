// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"path/filepath"

	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/binaries"
	"github.com/holdfast-gitops/holdfast/tests/process"
)

const (
	loopback       = "127.0.0.1"
	serviceRange   = "10.96.0.0/16"
	firstServiceIP = "10.96.0.1"
	podRange       = "10.244.0.0/16"
	// nodeIP is from a range that is reserved for documentation: nothing
	// answers there, so nobody mistakes a fake node for a real one.
	nodeIP = "192.0.2.1"
)

// layout is all that the components' command lines are made of.
type layout struct {
	files    files
	binaries string
	etcdPort int
	apiPort  int
	extra    []string
}

func (l layout) etcdURL() string { return fmt.Sprintf("https://%s:%d", loopback, l.etcdPort) }
func (l layout) apiURL() string  { return fmt.Sprintf("https://%s:%d", loopback, l.apiPort) }

func (l layout) command(name string, args ...string) process.Command {
	return process.Command{
		Name: name,
		Path: filepath.Join(l.binaries, name),
		Args: args,
		Env:  []string{"HOME=" + l.files.home(), "KWOK_WORKDIR=" + l.files.home()},
		Log:  l.files.log(name),
	}
}

// etcd does not wait for the disk: its data is gone with the test, and fsync
// would be most of what a write costs.
func (l layout) etcd() process.Command {
	f := l.files
	return l.command(binaries.Etcd,
		"--name=holdfast", "--data-dir="+f.etcdData(), "--unsafe-no-fsync", "--logger=zap", "--log-level=warn",
		"--listen-client-urls="+l.etcdURL(), "--advertise-client-urls="+l.etcdURL(), "--socket-reuse-port=true",
		"--cert-file="+f.public(etcdServer), "--key-file="+f.private(etcdServer),
		"--client-cert-auth", "--trusted-ca-file="+f.public(etcdAuthority),
		// A single member has no peers; any free port will do.
		"--listen-peer-urls=https://"+loopback+":0", "--initial-advertise-peer-urls=https://"+loopback+":0",
		"--initial-cluster=holdfast=https://"+loopback+":0",
		"--peer-cert-file="+f.public(etcdServer), "--peer-key-file="+f.private(etcdServer),
		"--peer-client-cert-auth", "--peer-trusted-ca-file="+f.public(etcdAuthority),
		"--quota-backend-bytes=8589934592", "--auto-compaction-retention=0",
	)
}

func (l layout) apiServer() process.Command {
	f := l.files
	args := []string{
		"--etcd-servers=" + l.etcdURL(), "--etcd-cafile=" + f.public(etcdAuthority),
		"--etcd-certfile=" + f.public(etcdClient), "--etcd-keyfile=" + f.private(etcdClient),
		"--bind-address=" + loopback, fmt.Sprintf("--secure-port=%d", l.apiPort), "--permit-port-sharing=true",
		// A Service may not have a loopback address behind it, so there is no
		// endpoint of the API server to publish.
		"--advertise-address=" + loopback, "--endpoint-reconciler-type=none",
		"--tls-cert-file=" + f.public(serving), "--tls-private-key-file=" + f.private(serving),
		"--client-ca-file=" + f.public(clusterAuthority),
		"--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + f.public(serviceAccounts),
		"--service-account-signing-key-file=" + f.private(serviceAccounts),
		"--service-cluster-ip-range=" + serviceRange, "--allow-privileged=true", "--profiling=false",
		"--audit-policy-file=" + f.auditPolicy(), "--audit-log-path=" + f.auditLog(), "--audit-log-format=json",
		// A proof reads one whole file: blocking, so that no event is lost,
		// and no rotation (the default is 100 MB).
		"--audit-log-mode=blocking", "--audit-log-maxsize=1048576",
	}
	return l.command(binaries.APIServer, append(args, l.extra...)...)
}

// controllerManager runs the default loops, each under its own account, and
// may ask often enough that a rollout is not the wait of a test.
func (l layout) controllerManager() process.Command {
	f := l.files
	return l.command(binaries.ControllerManager,
		"--kubeconfig="+f.kubeconfig(binaries.ControllerManager), "--secure-port=0", "--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+f.private(serviceAccounts), "--root-ca-file="+f.public(clusterAuthority),
		"--cluster-signing-cert-file="+f.public(clusterAuthority), "--cluster-signing-key-file="+f.private(clusterAuthority),
		"--service-cluster-ip-range="+serviceRange, "--kube-api-qps=500", "--kube-api-burst=1000", "--profiling=false",
	)
}

func (l layout) scheduler() process.Command {
	return l.command(binaries.Scheduler,
		"--kubeconfig="+l.files.kubeconfig(binaries.Scheduler), "--secure-port=0", "--leader-elect=false",
		"--kube-api-qps=500", "--kube-api-burst=1000", "--profiling=false",
	)
}

// kwok plays the kubelet of every node. It renews their leases, or the node
// lifecycle controller would evict their pods after 40 seconds.
func (l layout) kwok() process.Command {
	return l.command(binaries.Kwok,
		"--kubeconfig="+l.files.kubeconfig(binaries.Kwok), "--config="+filepath.Join(l.binaries, binaries.KwokStages),
		"--manage-all-nodes=true", "--node-lease-duration-seconds=40", "--cidr="+podRange, "--node-ip="+nodeIP,
	)
}
