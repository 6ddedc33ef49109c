// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// loader reads a kubeconfig as kubectl does: several paths may be joined.
func loader(kubeconfig string) clientcmd.ClientConfig {
	rules := &clientcmd.ClientConfigLoadingRules{Precedence: filepath.SplitList(kubeconfig)}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
}

// connect uses the cluster that the options name, once it answers.
func (c *Cluster) connect(ctx context.Context) error {
	config, err := loader(c.options.Kubeconfig).ClientConfig()
	if err != nil {
		return fmt.Errorf("kubeconfig %s: %w", c.options.Kubeconfig, err)
	}
	config.QPS = -1
	c.admin = config
	// Joined paths are flattened into one file, for programs that take one.
	c.adminKubeconfig = files(c.dir).kubeconfig("admin")
	if err := c.impersonatingKubeconfig(c.adminKubeconfig, "", nil); err != nil {
		return err
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("kubeconfig %s: %w", c.options.Kubeconfig, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.ReadyTimeout)
	defer cancel()
	if err := client.RESTClient().Get().AbsPath("/version").Do(ctx).Error(); err != nil {
		return fmt.Errorf("the cluster %s of kubeconfig %s does not answer: %w", config.Host, c.options.Kubeconfig, err)
	}
	return nil
}

// impersonatingKubeconfig copies the current context, acting as another user
// unless none is named. Files that it refers to are taken in.
func (c *Cluster) impersonatingKubeconfig(path, user string, groups []string) error {
	raw, err := loader(c.options.Kubeconfig).RawConfig()
	if err != nil {
		return fmt.Errorf("kubeconfig %s: %w", c.options.Kubeconfig, err)
	}
	if err := clientcmdapi.MinifyConfig(&raw); err != nil {
		return fmt.Errorf("kubeconfig %s: %w", c.options.Kubeconfig, err)
	}
	if err := clientcmdapi.FlattenConfig(&raw); err != nil {
		return fmt.Errorf("kubeconfig %s: %w", c.options.Kubeconfig, err)
	}
	for _, info := range raw.AuthInfos {
		if user != "" {
			info.Impersonate, info.ImpersonateGroups = user, groups
		}
	}
	return save(path, &raw)
}
