// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command cluster starts an embedded control plane for a person or a script.
//
// Input: flags. Output: the line `export KUBECONFIG=…` on standard output when
// the API server is ready, everything else on standard error. An embedded
// cluster with nodes gets a volume for the claim of an install, since nothing
// there provisions any; -git serves bare repositories beside it. It stays up
// until Ctrl-C, SIGTERM or the death of a component, and then leaves no process
// behind. With -kubeconfig it starts nothing and only checks that cluster.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
)

func main() {
	options := cluster.Options{Progress: os.Stderr}
	flag.StringVar(&options.Kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "cluster to use instead of starting one")
	flag.StringVar(&options.Dir, "dir", "", "folder for data, logs and kubeconfigs (default: a temporary one)")
	flag.StringVar(&options.Binaries, "bin", os.Getenv(cluster.EnvBinaries), "folder of binaries (default: bin/k8s of the checkout, built when missing)")
	flag.IntVar(&options.Nodes, "nodes", 1, "number of fake nodes; 0 runs neither scheduler nor kwok")
	level := flag.String("audit-level", string(audit.Metadata), "how much the audit log holds: Metadata, Request or RequestResponse")
	user := flag.String("user", "", "print a kubeconfig for this user instead of the administrator's")
	groups := flag.String("groups", "", "groups of -user, separated by commas")
	repositories := flag.String("git", "", "folder of bare Git repositories to serve over HTTP beside the cluster")
	flag.Parse()
	options.AuditPolicy = audit.Policy(audit.Level(*level))

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	who := identity{user: *user, groups: strings.FieldsFunc(*groups, func(r rune) bool { return r == ',' })}
	if err := serve(ctx, options, who, *repositories); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

type identity struct {
	user   string
	groups []string
}

// serve runs the cluster, and a Git server beside it where one is asked for:
// the sources of Flux know no folder, so that a first try needs a server.
func serve(ctx context.Context, options cluster.Options, who identity, repositories string) error {
	if repositories == "" {
		return run(ctx, options, who)
	}
	if info, err := os.Stat(repositories); err != nil || !info.IsDir() {
		return fmt.Errorf("-git %s is no folder: make it first", repositories)
	}
	folder, err := filepath.Abs(repositories)
	if err != nil {
		return err
	}
	git, err := gitserver.Start(folder, "", "")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Git      ", git.URL("NAME.git"))
	return errors.Join(run(ctx, options, who), git.Stop())
}

func run(ctx context.Context, options cluster.Options, who identity) error {
	started := time.Now()
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	if c.Embedded() && options.Nodes > 0 {
		if err := c.Apply(ctx, "cluster", volume()); err != nil {
			return errors.Join(err, c.Stop())
		}
	}
	if err := present(c, who, time.Since(started)); err != nil {
		return errors.Join(err, c.Stop())
	}
	select {
	case <-ctx.Done():
	case <-c.Failed():
	}
	// Asked before the end, which ends every component.
	err = c.Err()
	fmt.Fprintln(os.Stderr, "stopping")
	return errors.Join(err, c.Stop())
}

// volume is what the drift-controller's claim binds to. No data is ever on it:
// the pods of the fake nodes run nothing.
func volume() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": map[string]any{"name": "holdfast"},
		"spec": map[string]any{
			"capacity":    map[string]any{"storage": "5Gi"},
			"accessModes": []any{"ReadWriteOnce"},
			"hostPath":    map[string]any{"path": "/nonexistent"},
		},
	}}
}

// present prints what the reader needs next.
func present(c *cluster.Cluster, who identity, took time.Duration) error {
	kubeconfig := c.AdminKubeconfig()
	if who.user != "" {
		var err error
		if kubeconfig, err = c.Kubeconfig(who.user, who.groups...); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "ready after %.1f s, folder %s\n", took.Seconds(), c.Dir())
	if log, err := c.AuditLog(); err == nil {
		fmt.Fprintln(os.Stderr, "audit log", log)
	}
	if kubectl, err := c.Kubectl(); err == nil {
		fmt.Fprintln(os.Stderr, "kubectl  ", kubectl)
	}
	fmt.Printf("export KUBECONFIG='%s'\n", kubeconfig)
	fmt.Fprintln(os.Stderr, "Ctrl-C ends it")
	return nil
}
