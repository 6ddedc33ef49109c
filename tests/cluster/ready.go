// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/holdfast-gitops/holdfast/tests/cluster/internal/binaries"
	"github.com/holdfast-gitops/holdfast/tests/process"
)

// ErrNotReady means that a component runs and does not get ready in time.
var ErrNotReady = errors.New("not ready in time")

// pollInterval is short, since a start consists of waiting.
const pollInterval = 25 * time.Millisecond

const probeTimeout = 5 * time.Second

// await calls the probe until it succeeds. It gives up when the context ends
// or the process does, whichever log explains it.
func await(ctx context.Context, p *process.Process, what string, probe func(context.Context) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		// One answer that never comes must not use up the whole wait.
		once, cancel := context.WithTimeout(ctx, probeTimeout)
		err := probe(once)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-p.Done():
			if ended := p.Err(); ended != nil {
				return fmt.Errorf("waiting until %s: %w", what, ended)
			}
			return fmt.Errorf("waiting until %s: %w", what, errStopped)
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w (%w): %w; %s", what, ErrNotReady, ctx.Err(), err, p.Tail())
		case <-tick.C:
		}
	}
}

// startControllers starts what works against the API server, and waits until
// a pod could be created and, with nodes, scheduled.
func (c *Cluster) startControllers(ctx context.Context) error {
	if c.options.Still {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.ReadyTimeout)
	defer cancel()
	client, err := kubernetes.NewForConfig(c.admin)
	if err != nil {
		return fmt.Errorf("client for the readiness of the controllers: %w", err)
	}
	manager, err := c.startClient(binaries.ControllerManager, c.embedded.layout.controllerManager())
	if err != nil {
		return err
	}
	var kwok *process.Process
	if c.options.Nodes > 0 {
		if kwok, err = c.startNodes(ctx, client); err != nil {
			return err
		}
	}
	err = await(ctx, manager, "namespace default has its service account", func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	if err != nil || kwok == nil {
		return err
	}
	return await(ctx, kwok, "every fake node takes pods", func(ctx context.Context) error {
		return schedulable(ctx, client)
	})
}

func (c *Cluster) startNodes(ctx context.Context, client kubernetes.Interface) (*process.Process, error) {
	for number := 1; number <= c.options.Nodes; number++ {
		node := fakeNode(fmt.Sprintf("node-%d", number))
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return nil, fmt.Errorf("creating fake node %s: %w", node.Name, err)
		}
	}
	if _, err := c.startClient(binaries.Scheduler, c.embedded.layout.scheduler()); err != nil {
		return nil, err
	}
	return c.startClient(binaries.Kwok, c.embedded.layout.kwok(), mastersGroup)
}

// startClient starts a component that is a user of the API: "system:" and its
// name is who the built-in roles are bound to.
func (c *Cluster) startClient(name string, command process.Command, groups ...string) (*process.Process, error) {
	user := "system:" + name
	config, err := c.Config(user, groups...)
	if err != nil {
		return nil, err
	}
	if err := writeKubeconfig(c.embedded.layout.files.kubeconfig(name), user, config); err != nil {
		return nil, err
	}
	return c.embedded.parts.start(command)
}

func fakeNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name,
		Labels: map[string]string{
			corev1.LabelHostname:   name,
			corev1.LabelOSStable:   "linux",
			corev1.LabelArchStable: "amd64",
		},
	}}
}

func schedulable(ctx context.Context, client kubernetes.Interface) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		ready := false
		for _, condition := range node.Status.Conditions {
			ready = ready || condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
		}
		if !ready || len(node.Spec.Taints) > 0 {
			return fmt.Errorf("node %s: ready %t, taints %v", node.Name, ready, node.Spec.Taints)
		}
	}
	return nil
}
