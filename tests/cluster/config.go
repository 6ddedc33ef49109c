// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/pki"
)

const (
	adminUser    = "holdfast-admin"
	mastersGroup = "system:masters"
)

// AdminConfig may do everything. It has no client-side rate limit: a test
// should wait for the server, not for its own client.
func (c *Cluster) AdminConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// AdminKubeconfig is the path of a kubeconfig that may do everything.
func (c *Cluster) AdminKubeconfig() string { return c.adminKubeconfig }

// Config is a configuration for any user name, with the rights that RBAC gives
// it. In an embedded cluster the user has a certificate; elsewhere the
// administrator impersonates it, so such a user can't impersonate in turn.
func (c *Cluster) Config(user string, groups ...string) (*rest.Config, error) {
	if c.embedded == nil {
		config := c.AdminConfig()
		config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
		return config, nil
	}
	pair, err := c.embedded.authority.Issue(pki.Subject{User: user, Groups: groups}, time.Now())
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: c.embedded.layout.apiURL(),
		TLSClientConfig: rest.TLSClientConfig{
			CAData: c.embedded.authority.Public, CertData: pair.Public, KeyData: pair.Private,
		},
		QPS: -1,
	}, nil
}

// Kubeconfig writes a kubeconfig for any user name and returns its path. The
// file holds all that it needs; it goes away with a temporary folder.
func (c *Cluster) Kubeconfig(user string, groups ...string) (string, error) {
	path := files(c.dir).kubeconfig(fileName(user, groups))
	if c.embedded == nil {
		return path, c.impersonatingKubeconfig(path, user, groups)
	}
	config, err := c.Config(user, groups...)
	if err != nil {
		return "", err
	}
	return path, writeKubeconfig(path, user, config)
}

// fileName is readable, legal on every file system, and its own for each user:
// "system:serviceaccount:a:b" and "system-serviceaccount-a-b" differ.
func fileName(user string, groups []string) string {
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(user))
	readable = readable[:min(len(readable), 80)]
	sum := sha256.Sum256([]byte(strings.Join(append([]string{user}, groups...), "\x00")))
	return readable + "-" + hex.EncodeToString(sum[:4])
}

func writeKubeconfig(path, user string, config *rest.Config) error {
	const name = "holdfast"
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[name] = &clientcmdapi.Cluster{
		Server: config.Host, CertificateAuthorityData: config.CAData,
	}
	kubeconfig.AuthInfos[user] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
	}
	kubeconfig.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: user, Namespace: "default"}
	kubeconfig.CurrentContext = name
	return save(path, kubeconfig)
}

func save(path string, kubeconfig *clientcmdapi.Config) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("folder of a kubeconfig: %w", err)
	}
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		return fmt.Errorf("writing kubeconfig %s: %w", path, err)
	}
	return nil
}
