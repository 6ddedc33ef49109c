// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Variables that Main reads. KUBECONFIG is none of them on purpose.
const (
	// EnvKubeconfig names a cluster that the tests may use and litter.
	EnvKubeconfig = "HOLDFAST_TEST_KUBECONFIG"
	// EnvBinaries names a folder of executables that is used as it is.
	EnvBinaries = "HOLDFAST_K8S_BIN"
)

// sharing is the one cluster of a test binary, started by the first who asks.
type sharing struct {
	ctx     context.Context
	options Options

	mu      sync.Mutex
	tried   bool
	cluster *Cluster
	err     error
}

// shared is nil until Main has been called.
var shared *sharing

// Main is a package's TestMain: it runs the tests, with one cluster for all of
// them that the first Get starts and that ends after the last test, on an
// interrupt too. It does not return.
func Main(m *testing.M, options Options) {
	ctx, cancel := context.WithCancel(context.Background())
	shared = &sharing{ctx: ctx, options: options.fromEnvironment()}
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
	shared.stop(code != 0)
	os.Exit(code)
}

func (o Options) fromEnvironment() Options {
	if o.Kubeconfig == "" {
		o.Kubeconfig = os.Getenv(EnvKubeconfig)
	}
	if o.Binaries == "" {
		o.Binaries = os.Getenv(EnvBinaries)
	}
	if o.Progress == nil {
		o.Progress = os.Stderr
	}
	return o
}

func (s *sharing) get() (*Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tried {
		s.tried = true
		s.cluster, s.err = Start(s.ctx, s.options)
	}
	return s.cluster, s.err
}

func (s *sharing) stop(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster == nil {
		return
	}
	if failed && s.cluster.Embedded() {
		// The logs explain a failure; the folder is the reader's to remove.
		s.cluster.temporary = false
		fmt.Fprintln(os.Stderr, "the control plane's logs are kept in", s.cluster.Dir())
	}
	if err := s.cluster.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping the control plane:", err)
	}
}

// Get is the cluster that all tests of the package share.
func Get(t testing.TB) *Cluster {
	t.Helper()
	if shared == nil {
		t.Fatal("no cluster for this package: its TestMain has to call cluster.Main")
	}
	c, err := shared.get()
	if err != nil {
		t.Fatalf("starting the control plane: %v", err)
	}
	if err := c.Err(); err != nil {
		t.Fatalf("the control plane is broken: %v", err)
	}
	return c
}

// Namespace makes a namespace that no other test has, in which pods can be
// created (unless the cluster is Still), and deletes it after the test. It is
// named after the test.
func Namespace(t testing.TB, c *Cluster) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.admin)
	if err != nil {
		t.Fatalf("client for a namespace: %v", err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: namePrefix(t.Name())}}
	created, err := client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("making a namespace: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended. Nobody waits for the deletion: the
		// name is never used again.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := client.CoreV1().Namespaces().Delete(ctx, created.Name, metav1.DeleteOptions{}); err != nil {
			t.Logf("namespace %s is left behind: %v", created.Name, err)
		}
	})
	if c.options.Still {
		return created.Name
	}
	// Admission asks for it on every pod.
	err = retry(t.Context(), func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(created.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	if err != nil {
		t.Fatalf("namespace %s has no default service account: %v", created.Name, err)
	}
	return created.Name
}

// namePrefix turns a test's name into the start of a namespace's.
func namePrefix(test string) string {
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimPrefix(test, "Test")))
	return "t-" + strings.Trim(readable[:min(len(readable), 40)], "-") + "-"
}
