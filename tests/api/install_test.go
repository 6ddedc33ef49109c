// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

const manager = "tests-api"

func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{}) }

// install remembers that config/ was applied, once for the package.
var install struct {
	once sync.Once
	err  error
}

// installed is the package's cluster with config/default and config/samples.
func installed(t testing.TB) *cluster.Cluster {
	t.Helper()
	c := cluster.Get(t)
	install.once.Do(func() {
		for _, dir := range []string{"../../config/default", "../../config/samples"} {
			if install.err == nil {
				install.err = c.ApplyDir(t.Context(), dir, manager)
			}
		}
	})
	if install.err != nil {
		t.Fatalf("applying config/: %v", install.err)
	}
	return c
}

func admin(t testing.TB, c *cluster.Cluster) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// eventually asks until the answer is yes: a policy or a role takes a moment
// to reach the API server's caches.
func eventually(t testing.TB, what string, ask func(ctx context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		yes, err := ask(ctx)
		if yes {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within 20 s, last error: %v", what, err)
		case <-tick.C:
		}
	}
}

// causes are the fields that a refusal names, empty for any other error.
func causes(err error) []string {
	status, ok := err.(apierrors.APIStatus)
	if !ok || !apierrors.IsInvalid(err) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		fields = append(fields, cause.Field)
	}
	return fields
}
