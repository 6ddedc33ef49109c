// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command cluster starts an embedded control plane for a person or a script.
//
// Input: flags. Output: the line `export KUBECONFIG=…` on standard output when
// the API server is ready, everything else on standard error. It stays up
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
	"strings"
	"syscall"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
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
	flag.Parse()
	options.AuditPolicy = audit.Policy(audit.Level(*level))

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	who := identity{user: *user, groups: strings.FieldsFunc(*groups, func(r rune) bool { return r == ',' })}
	if err := run(ctx, options, who); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

type identity struct {
	user   string
	groups []string
}

func run(ctx context.Context, options cluster.Options, who identity) error {
	started := time.Now()
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
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
