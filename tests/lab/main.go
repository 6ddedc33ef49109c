// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/receiver"
)

// Lab is one control plane with Holdfast on it.
type Lab struct {
	Cluster     *cluster.Cluster
	Controllers *holdfast.Controllers
	// Client is the administrator's.
	Client client.Client
	Root   string // of the checkout

	// Events are what the controllers sent past the cluster.
	Events *receiver.Receiver

	dir   string
	built string // what was compiled, in bin/
	git   *gitserver.Server
	name  string
}

// sharing is the lab of this test binary.
type sharing struct {
	ctx     context.Context
	name    string
	options Options

	mu    sync.Mutex
	tried bool
	lab   *Lab
	err   error
}

var shared *sharing

// Options make a lab another than most tests want.
type Options struct {
	// Tags that the controllers are built with.
	Tags string
	// Flags and Env are added to those of a controller, by its name.
	Flags, Env map[string][]string
}

// Main runs the tests of a package with one lab, which the first call of Get
// starts. The name is that of the package; it tells its files apart.
func Main(m *testing.M, name string) { MainWith(m, name, Options{}) }

// MainWith is Main for a lab with options.
func MainWith(m *testing.M, name string, o Options) {
	ctx, cancel := context.WithCancel(context.Background())
	shared = &sharing{ctx: ctx, name: name, options: o}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		shared.stop(false)
		os.Exit(130)
	}()
	code := m.Run()
	signal.Stop(signals)
	if err := shared.panics(); err != nil {
		fmt.Fprintln(os.Stderr, "a controller panicked:", err)
		code = 1
	}
	shared.stop(code != 0)
	cancel()
	os.Exit(code)
}

// Get gives the lab of this package.
func Get(t testing.TB) *Lab {
	t.Helper()
	if shared == nil {
		t.Fatal("no lab for this package: its TestMain has to call lab.Main")
	}
	l, err := shared.get()
	if err != nil {
		t.Fatalf("starting the lab: %v", err)
	}
	if err := errors.Join(l.Cluster.Err(), l.Controllers.Err()); err != nil {
		t.Fatalf("the lab is broken: %v", err)
	}
	return l
}

func (s *sharing) get() (*Lab, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tried {
		s.tried = true
		s.lab, s.err = start(s.ctx, s.name, s.options)
	}
	return s.lab, s.err
}

// panics tells of a panic that a controller recovered from, whatever the tests
// saw of it.
func (s *sharing) panics() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lab == nil {
		return nil
	}
	return s.lab.Controllers.Panics()
}

// stop ends everything. The logs of a failure stay, and where is said.
func (s *sharing) stop(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lab == nil {
		return
	}
	s.lab.stop()
	if failed {
		fmt.Fprintln(os.Stderr, "the logs of the control plane and the controllers are kept in", s.lab.dir)
		return
	}
	if err := os.RemoveAll(s.lab.dir); err != nil {
		fmt.Fprintln(os.Stderr, "removing the lab's folder:", err)
	}
}

func start(ctx context.Context, name string, o Options) (l *Lab, err error) {
	l = &Lab{name: name}
	if l.Root, err = FindRoot(); err != nil {
		return nil, err
	}
	if l.built, err = Build(ctx, l.Root, name, o.Tags); err != nil {
		return nil, err
	}
	if l.dir, err = os.MkdirTemp("", "holdfast-"+name+"-"); err != nil {
		return nil, fmt.Errorf("making the lab's folder: %w", err)
	}
	defer func() {
		if err != nil {
			l.stop() // its folder stays: the error names logs in it
		}
	}()
	l.Cluster, err = cluster.Start(ctx, cluster.Options{
		Kubeconfig: os.Getenv(cluster.EnvKubeconfig), Binaries: os.Getenv(cluster.EnvBinaries),
		Dir: filepath.Join(l.dir, "cluster"), Nodes: 1, Progress: os.Stderr,
	})
	if err != nil {
		return nil, err
	}
	if err := holdfast.Install(ctx, l.Cluster, l.Root); err != nil {
		return nil, err
	}
	if l.Client, err = newClient(l.Cluster); err != nil {
		return nil, err
	}
	if l.git, err = gitserver.Start(l.gitDir(), "", ""); err != nil {
		return nil, err
	}
	l.Events = receiver.Start()
	flags := map[string][]string{}
	for _, controller := range []string{holdfast.Source, holdfast.Drift, holdfast.Secrets} {
		flags[controller] = append(slices.Clone(o.Flags[controller]), "--events-addr="+l.Events.URL)
	}
	// By default they lie among the temporary files of the machine, and stay.
	flags[holdfast.Source] = append(flags[holdfast.Source], "--git-mirror-path="+filepath.Join(l.dir, "mirrors"))
	l.Controllers, err = holdfast.Start(ctx, holdfast.Options{
		Cluster: l.Cluster, Root: l.built, Dir: filepath.Join(l.dir, "holdfast"), Flags: flags, Env: o.Env,
	})
	return l, err
}

func (l *Lab) gitDir() string { return filepath.Join(l.dir, "git") }

func newClient(c *cluster.Cluster) (client.Client, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, api.AddToScheme, secrets.AddToScheme, sourcev1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("kinds of the lab's client: %w", err)
		}
	}
	config := c.AdminConfig()
	config.WarningHandlerWithContext = rest.NoWarnings{} // it warns of what tests do on purpose
	made, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("the lab's client: %w", err)
	}
	return made, nil
}

// stop ends what was started, the last first.
func (l *Lab) stop() {
	if l.Controllers != nil {
		l.Controllers.Stop()
	}
	if l.Events != nil {
		l.Events.Close()
	}
	if l.git != nil {
		_ = l.git.Stop() // it only serves
	}
	if l.Cluster == nil {
		return
	}
	if err := l.Cluster.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping the control plane:", err)
	}
}
