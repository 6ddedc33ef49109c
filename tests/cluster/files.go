// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/pki"
)

// ErrDirInUse means that the data folder belongs to an earlier control plane.
var ErrDirInUse = errors.New("the folder holds the data of another control plane; remove it or name another one")

// files are the paths of one control plane.
type files string

func (f files) path(parts ...string) string {
	return filepath.Join(append([]string{string(f)}, parts...)...)
}

func (f files) etcdData() string              { return f.path("etcd") }
func (f files) home() string                  { return f.path("home") }
func (f files) auditPolicy() string           { return f.path("audit-policy.yaml") }
func (f files) auditLog() string              { return f.path("audit.log") }
func (f files) log(component string) string   { return f.path("logs", component+".log") }
func (f files) kubeconfig(user string) string { return f.path("kubeconfig", user+".yaml") }
func (f files) public(name string) string     { return f.path("pki", name+".crt") }
func (f files) private(name string) string    { return f.path("pki", name+".key") }

// Names of the pairs in the pki folder.
const (
	clusterAuthority = "ca"
	serving          = "apiserver"
	serviceAccounts  = "service-accounts"
	etcdAuthority    = "etcd-ca"
	etcdServer       = "etcd"
	etcdClient       = "etcd-client"
)

// prepare makes the folders, the certificates and the audit policy, and
// returns the authority that identifies users.
func (f files) prepare(policy string, now time.Time) (*pki.Authority, error) {
	if _, err := os.Stat(f.etcdData()); err == nil {
		return nil, fmt.Errorf("%s: %w", f.path(), ErrDirInUse)
	}
	for _, folder := range []string{f.etcdData(), f.home(), f.path("pki"), f.path("logs"), f.path("kubeconfig")} {
		// Keys lie here: nobody else on the machine may look.
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("folder of the control plane: %w", err)
		}
	}
	if err := os.WriteFile(f.auditPolicy(), []byte(policy), 0o600); err != nil {
		return nil, fmt.Errorf("audit policy: %w", err)
	}
	if err := f.prepareEtcd(now); err != nil {
		return nil, err
	}
	tokens, err := pki.SigningKey()
	if err != nil {
		return nil, err
	}
	authority, err := pki.NewAuthority("holdfast-cluster", now)
	if err != nil {
		return nil, err
	}
	server, err := authority.Issue(pki.Subject{
		User:  "kube-apiserver",
		Hosts: []string{loopback, "localhost", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", firstServiceIP},
	}, now)
	if err != nil {
		return nil, err
	}
	return authority, errors.Join(
		f.write(clusterAuthority, authority.Pair), f.write(serving, server), f.write(serviceAccounts, tokens))
}

// prepareEtcd gives etcd an authority of its own: under the cluster's, every
// user with a certificate could read and write etcd past the API server.
func (f files) prepareEtcd(now time.Time) error {
	authority, err := pki.NewAuthority("holdfast-etcd", now)
	if err != nil {
		return err
	}
	server, err := authority.Issue(pki.Subject{User: "etcd", Hosts: []string{loopback, "localhost"}}, now)
	if err != nil {
		return err
	}
	client, err := authority.Issue(pki.Subject{User: "kube-apiserver"}, now)
	if err != nil {
		return err
	}
	return errors.Join(f.write(etcdAuthority, authority.Pair), f.write(etcdServer, server), f.write(etcdClient, client))
}

func (f files) write(name string, pair pki.Pair) error {
	return errors.Join(
		os.WriteFile(f.public(name), pair.Public, 0o600),
		os.WriteFile(f.private(name), pair.Private, 0o600))
}
