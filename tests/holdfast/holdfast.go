// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package holdfast runs the three controllers as a user would: their built
// binaries as processes of their own, with the kinds, rights and policies of
// config/, each under its own service account.
//
// In: a cluster, a folder of binaries. Out: running controllers with their
// logs. They can be killed and started again. It builds nothing: make build
// does, and the error says so.
package holdfast

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/process"
)

// Namespace is where the controllers would run.
const Namespace = "holdfast-system"

// The controllers, by the names of their binaries and accounts.
const (
	Source  = "source-controller"
	Drift   = "drift-controller"
	Secrets = "secrets-controller"
)

// Account is the user name of a controller in the audit log.
func Account(controller string) string {
	return "system:serviceaccount:" + Namespace + ":" + controller
}

// Options say where things are.
type Options struct {
	Cluster *cluster.Cluster
	Root    string // of the checkout, with config/ and bin/
	Dir     string // for logs and storage
	// Flags are added to a controller's own, by its name.
	Flags map[string][]string
	// Env is added to a controller's environment, by its name.
	Env map[string][]string
}

// Controllers are running controllers.
type Controllers struct {
	options Options
	running map[string]*process.Process
	// StorageAddress is where the source-controller serves artifacts.
	ports map[string]string
}

// Install applies kinds, rights and policies, and makes the namespace. The
// Deployments of config/manager stay out: the controllers run as processes.
func Install(ctx context.Context, c *cluster.Cluster, root string) error {
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return fmt.Errorf("client of the cluster: %w", err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making namespace %s: %w", Namespace, err)
	}
	for _, part := range []string{"crd", "rbac", "policy"} {
		if err := c.ApplyDir(ctx, filepath.Join(root, "config", part), "holdfast-install"); err != nil {
			return fmt.Errorf("applying config/%s: %w", part, err)
		}
	}
	return nil
}

// Start starts the named controllers, or all.
func Start(ctx context.Context, o Options, names ...string) (*Controllers, error) {
	if len(names) == 0 {
		names = []string{Source, Drift, Secrets}
	}
	c := &Controllers{options: o, running: map[string]*process.Process{}, ports: map[string]string{}}
	for _, name := range names {
		if err := c.Start(ctx, name); err != nil {
			c.Stop()
			return nil, err
		}
	}
	return c, nil
}

// Start starts one controller, again if it was stopped or killed: it then finds
// its storage and serves under the same address.
func (c *Controllers) Start(_ context.Context, name string) error {
	binary := filepath.Join(c.options.Root, "bin", name)
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("%s is not built: run make build (%w)", name, err)
	}
	kubeconfig, err := c.kubeconfig(name)
	if err != nil {
		return err
	}
	args, err := c.args(name)
	if err != nil {
		return err
	}
	p, err := process.Start(process.Command{
		Name: name, Path: binary, Args: append(args, c.options.Flags[name]...),
		Env: append([]string{
			"KUBECONFIG=" + kubeconfig, "PATH=" + os.Getenv("PATH"), "RUNTIME_NAMESPACE=" + Namespace, "TMPDIR=" + os.TempDir(),
		}, c.options.Env[name]...),
		Log: c.Log(name),
	})
	if err != nil {
		return err
	}
	c.running[name] = p
	return nil
}

// kubeconfig is that of the controller's own account. A cluster that is not
// ours can only impersonate, which cannot be nested: there its administrator
// acts.
func (c *Controllers) kubeconfig(name string) (string, error) {
	if !c.options.Cluster.Embedded() {
		return c.options.Cluster.AdminKubeconfig(), nil
	}
	path, err := c.options.Cluster.Kubeconfig(Account(name), "system:serviceaccounts", "system:serviceaccounts:"+Namespace, "system:authenticated")
	if err != nil {
		return "", fmt.Errorf("kubeconfig of %s: %w", name, err)
	}
	return path, nil
}

func (c *Controllers) args(name string) ([]string, error) {
	args := []string{"--metrics-addr=0", "--health-addr=0", "--log-encoding=json", "--enable-leader-election=false"}
	if name == Secrets {
		return args, nil
	}
	address, ok := c.ports[name]
	if !ok {
		var err error
		if address, err = FreeAddress(); err != nil {
			return nil, err
		}
		c.ports[name] = address
	}
	return append(args, "--storage-path="+c.Storage(name), "--storage-addr="+address, "--storage-adv-addr="+address), os.MkdirAll(c.Storage(name), 0o700)
}

// FreeAddress is a loopback address that nobody listens on now.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Storage is a controller's folder.
func (c *Controllers) Storage(name string) string {
	return filepath.Join(c.options.Dir, name)
}

// Log is a controller's log file.
func (c *Controllers) Log(name string) string {
	return filepath.Join(c.options.Dir, name+".log")
}

// Process is a running controller.
func (c *Controllers) Process(name string) *process.Process { return c.running[name] }

// Kill ends a controller as a crash would.
func (c *Controllers) Kill(name string) { c.running[name].Stop(0) }

// Err tells of a controller that ended by itself.
func (c *Controllers) Err() error {
	var errs []error
	for _, p := range c.running {
		errs = append(errs, p.Err())
	}
	return errors.Join(errs...)
}

// Panics tells of panics in the controllers' logs. A recovered one ends a single
// reconciliation and is tried again, so that nothing else would show it.
func (c *Controllers) Panics() error {
	var errs []error
	for name := range c.running {
		errs = append(errs, panicIn(c.Log(name)))
	}
	return errors.Join(errs...)
}

func panicIn(path string) error {
	log, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the log that would show a panic: %w", err)
	}
	defer log.Close()
	lines := bufio.NewReader(log)
	for number := 1; ; number++ {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, "Observed a panic") || strings.Contains(line, "panic: ") {
			return fmt.Errorf("%s:%d: %.2000s", path, number, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
	}
}

// Stop ends all controllers.
func (c *Controllers) Stop() {
	for _, p := range c.running {
		p.Stop(5 * time.Second)
	}
}
