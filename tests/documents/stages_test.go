// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/demo"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

const root = "../.."

// One control plane for all documents; each leaves it without Holdfast.
func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{Nodes: 1}) }

// place is what every stage has: the cluster, the programs, a Git server, and a
// folder that looks like the checkout of a reader who ran make build.
type place struct {
	cluster  *cluster.Cluster
	dir      string
	checkout string
	built    string // holds bin/
	git      *gitserver.Server
}

func newPlace(t *testing.T) place {
	t.Helper()
	c := cluster.Get(t)
	kubectl, err := c.Kubectl()
	must(t, err)
	from, err := lab.FindRoot()
	must(t, err)
	p := place{cluster: c, dir: t.TempDir()}
	if p.built, err = lab.Build(t.Context(), from, "documents", ""); err != nil {
		t.Fatal(err)
	}
	p.checkout = filepath.Join(p.dir, "holdfast")
	must(t, os.MkdirAll(filepath.Join(p.checkout, "bin"), 0o755))
	must(t, os.Symlink(filepath.Dir(kubectl), filepath.Join(p.checkout, "bin", "k8s")))
	must(t, os.Symlink(filepath.Join(from, "config"), filepath.Join(p.checkout, "config")))
	for _, program := range []string{"holdfast", holdfast.Source, holdfast.Drift, holdfast.Secrets} {
		must(t, os.Symlink(filepath.Join(p.built, "bin", program), filepath.Join(p.checkout, "bin", program)))
	}
	repositories := filepath.Join(p.dir, "try", "repos")
	must(t, os.MkdirAll(repositories, 0o755))
	p.git, err = gitserver.Start(repositories, "", "")
	must(t, err)
	t.Cleanup(func() { _ = p.git.Stop() })
	return p
}

// shell opens one in the checkout; its session ends before Holdfast goes.
func (p place) shell(t *testing.T) *Shell {
	t.Helper()
	home, scratch := filepath.Join(p.dir, "home"), filepath.Join(p.dir, "session")
	for _, dir := range []string{home, scratch} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	gitconfig := "[user]\n\tname = Anna Example\n\temail = anna@example.com\n"
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o600))
	source, err := holdfast.FreeAddress()
	must(t, err)
	drift, err := holdfast.FreeAddress()
	must(t, err)
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + p.cluster.AdminKubeconfig(), "TMPDIR=" + scratch, "GIT_CONFIG_NOSYSTEM=1",
	}
	s, err := Open(scratch, p.checkout, env, []string{
		"/tmp/try", filepath.Join(p.dir, "try"), "/tmp/prod-manifests", filepath.Join(p.dir, "prod-manifests"), "http://127.0.0.1:PORT", p.git.URL("")[:len(p.git.URL(""))-1],
		"127.0.0.1:19090", source, "127.0.0.1:19091", drift, "export KUBECONFIG=…", "export KUBECONFIG=" + p.cluster.AdminKubeconfig(),
	})
	must(t, err)
	t.Cleanup(func() {
		// The test's own context has ended. Each document leaves a cluster in which
		// the next can install.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, _, err := s.Run(ctx, "kill $(jobs -p) 2>/dev/null; wait; true")
		out, code, gone := s.Run(ctx, filepath.Join(p.checkout, "bin", "holdfast")+" uninstall --yes --crds --delete-namespace")
		if err = errors.Join(err, gone, s.Close(ctx)); err != nil || code != 0 {
			t.Errorf("clearing up: %v, exit code %d\n%s", err, code, out)
		}
	})
	return s
}

// volume is what the claim of an install binds to, see cmd/cluster.
func (p place) volume(t *testing.T) {
	t.Helper()
	must(t, p.cluster.Apply(t.Context(), "documents", &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": map[string]any{"name": fmt.Sprintf("documents-%d", time.Now().UnixNano())},
		"spec": map[string]any{
			"capacity": map[string]any{"storage": "5Gi"}, "accessModes": []any{"ReadWriteOnce"}, "hostPath": map[string]any{"path": "/nonexistent"},
		},
	}}))
}

// anEmptyCluster is where getting-started begins.
func anEmptyCluster(t *testing.T) Stage {
	t.Helper()
	p := newPlace(t)
	p.volume(t)
	return Stage{shell: p.shell(t)}
}

// besideAFleet is the cluster of somebody who has the services of the demo's
// repository in a working tree, and a Project for them.
func besideAFleet(t *testing.T) Stage {
	t.Helper()
	p := newPlace(t)
	p.volume(t)
	must(t, os.CopyFS(filepath.Join(p.checkout, "services"), os.DirFS("../demo/repository/services")))
	s := p.shell(t)
	if out, code, err := s.Run(t.Context(), "bin/k8s/kubectl create namespace users --dry-run=client -o yaml | bin/k8s/kubectl apply -f -"); err != nil || code != 0 {
		t.Fatalf("namespace users: %v: %s", err, out)
	}
	return Stage{shell: s, told: told.String()}
}

// told is what the demo printed, which the README shows a part of.
var told bytes.Buffer

// afterTheDemo is where the demo stays up, with everything that make demo starts.
func afterTheDemo(t *testing.T) Stage {
	t.Helper()
	p := newPlace(t)
	must(t, holdfast.Install(t.Context(), p.cluster, root))
	controllers, err := holdfast.Start(t.Context(), holdfast.Options{Cluster: p.cluster, Root: p.built, Dir: filepath.Join(p.dir, "controllers")})
	must(t, err)
	t.Cleanup(controllers.Stop)
	s := p.shell(t)
	repository, err := p.git.Create(t.Context(), "prod-manifests.git")
	must(t, err)
	kubectl, err := p.cluster.Kubectl()
	must(t, err)
	story := &demo.Demo{
		Cluster: p.cluster, Git: repository, Root: root, Dir: p.dir, Kubectl: kubectl,
		Binary: filepath.Join(p.checkout, "bin", "holdfast"), Out: &told, Now: time.Now,
	}
	if err := story.Tell(t.Context()); err != nil {
		t.Fatalf("%v (%v)\n%s", err, controllers.Err(), told.String())
	}
	return Stage{shell: s}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
