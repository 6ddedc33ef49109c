// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command demo starts a control plane, a Git server and the three controllers,
// replays the incident of package demo, and stays up until it is interrupted.
// With --once it ends after the story. KUBECONFIG: that cluster instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/demo"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

func main() {
	once := flag.Bool("once", false, "end after the story")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *once); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, once bool) (err error) {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "holdfast-demo-")
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	defer func() {
		if err != nil {
			fmt.Fprintln(os.Stderr, "demo: the logs are in", dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	fmt.Println("Starting the control plane (etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok)...")
	c, err := cluster.Start(ctx, cluster.Options{
		Kubeconfig: os.Getenv("KUBECONFIG"), Dir: filepath.Join(dir, "cluster"), Nodes: 1, Progress: os.Stderr,
	})
	if err != nil {
		return err
	}
	defer func() { _ = c.Stop() }() // what the demo found matters more
	return play(ctx, c, root, dir, once)
}

func play(ctx context.Context, c *cluster.Cluster, root, dir string, once bool) error {
	fmt.Println("Installing Holdfast and starting its three controllers...")
	if err := holdfast.Install(ctx, c, root); err != nil {
		return err
	}
	controllers, err := holdfast.Start(ctx, holdfast.Options{Cluster: c, Root: root, Dir: filepath.Join(dir, "holdfast")})
	if err != nil {
		return err
	}
	defer controllers.Stop()
	git, err := gitserver.Start(filepath.Join(dir, "git"), "", "")
	if err != nil {
		return err
	}
	defer func() { _ = git.Stop() }() // it only serves
	repository, err := git.Create(ctx, "prod-manifests.git")
	if err != nil {
		return err
	}
	kubectl, err := c.Kubectl()
	if err != nil {
		return err
	}
	d := &demo.Demo{
		Cluster: c, Git: repository, Root: root, Dir: dir, Kubectl: kubectl,
		Binary: filepath.Join(root, "bin", "holdfast"), Out: os.Stdout, Now: time.Now,
	}
	if err := d.Tell(ctx); err != nil {
		return fmt.Errorf("%w (%v)", err, controllers.Err())
	}
	if once {
		return nil
	}
	invite(c, kubectl)
	<-ctx.Done()
	fmt.Println("\nStopping.")
	return nil
}

func invite(c *cluster.Cluster, kubectl string) {
	fmt.Printf(`
== Your turn ==
It stays up until Ctrl-C. In another terminal, from this folder:

  export KUBECONFIG=%s
  bin/holdfast get applications -A           %[2]s get applications -A
  bin/holdfast get drift users-api -n users  %[2]s get drift -n users
  %[2]s edit configmap users-api-env -n users
`, c.AdminKubeconfig(), kubectl)
}
