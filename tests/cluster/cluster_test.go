// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/holdfast-gitops/holdfast/tests/process"
)

func TestMain(m *testing.M) { Main(m, Options{Nodes: 2}) }

func clientOf(t *testing.T, config *rest.Config, err error) *kubernetes.Clientset {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func adminOf(t *testing.T, c *Cluster) *kubernetes.Clientset {
	t.Helper()
	return clientOf(t, c.AdminConfig(), nil)
}

// eventually polls, since what it asks for is somebody else's work.
func eventually(t *testing.T, what string, probe func(context.Context) error) {
	t.Helper()
	if err := retry(t.Context(), probe); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestServerReportsThePinnedRelease(t *testing.T) {
	version, err := adminOf(t, Get(t)).Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	// Charts read all three.
	got := []string{version.GitVersion, version.Major, version.Minor}
	if diff := cmp.Diff([]string{"v1.36.3", "1", "36"}, got); diff != "" {
		t.Errorf("version (-want +got):\n%s", diff)
	}
}

func TestUserHasItsNameAndNoRights(t *testing.T) {
	c := Get(t)
	direct, err := c.Config("alice", "backend")
	if err != nil {
		t.Fatal(err)
	}
	path, err := c.Kubeconfig("alice", "backend")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]*rest.Config{"config": direct, "kubeconfig": loaded} {
		t.Run(name, func(t *testing.T) {
			client := clientOf(t, config, nil)
			review, err := client.AuthenticationV1().SelfSubjectReviews().
				Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"alice", "backend", "system:authenticated"}
			got := append([]string{review.Status.UserInfo.Username}, review.Status.UserInfo.Groups...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("user and groups (-want +got):\n%s", diff)
			}
			_, err = client.CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
			if !apierrors.IsForbidden(err) {
				t.Errorf("listing Secrets: %v, want it forbidden", err)
			}
		})
	}
}

func TestDeploymentBecomesReady(t *testing.T) {
	c := Get(t)
	client, namespace := adminOf(t, c), Namespace(t, c)
	replicas, labels := int32(3), map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web:1"}}},
			},
		},
	}
	created := time.Now()
	if _, err := client.AppsV1().Deployments(namespace).Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "rollout", func(ctx context.Context) error {
		live, err := client.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
		if err == nil && live.Status.ReadyReplicas != replicas {
			err = errors.New("replicas are missing")
		}
		return err
	})
	t.Logf("%d replicas Ready %s after the create", replicas, time.Since(created))
}

func TestOutageKeepsDataAndAddress(t *testing.T) {
	c := Get(t)
	client, namespace := adminOf(t, c), Namespace(t, c)
	note := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "note"}, Data: map[string]string{"k": "v"}}
	before, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(), note, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := c.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	t.Logf("API server down after %s", time.Since(began))
	_, err = client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "note", metav1.GetOptions{})
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("request while it is down: %v, want the connection refused", err)
	}
	if err := c.StopAPIServer(); err == nil {
		t.Error("stopping it twice: no error")
	}
	began = time.Now()
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("API server up again after %s", time.Since(began))
	if err := c.StartAPIServer(t.Context()); err == nil {
		t.Error("starting it twice: no error, and two servers on one port")
	}
	// The same client: the address has not changed.
	after, err := client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "note", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the object changed over the outage (-before +after):\n%s", diff)
	}
	if err := c.Err(); err != nil {
		t.Errorf("a stop that was asked for counts as a failure: %v", err)
	}
}

// pids are the components that run now.
func pids(c *Cluster) map[string]int {
	c.embedded.parts.mu.Lock()
	defer c.embedded.parts.mu.Unlock()
	found := map[string]int{}
	for _, p := range c.embedded.parts.running {
		found[p.Name()] = p.PID()
	}
	return found
}

func exists(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestEndLeavesNothing(t *testing.T) {
	ways := map[string]struct {
		end    func(t *testing.T, c *Cluster, cancel context.CancelFunc)
		reason string
	}{
		"Stop": {
			end: func(t *testing.T, c *Cluster, _ context.CancelFunc) {
				if err := c.Stop(); err != nil {
					t.Errorf("Stop: %v", err)
				}
				if _, err := os.Stat(c.Dir()); !os.IsNotExist(err) {
					t.Errorf("the temporary folder %s is still there: %v", c.Dir(), err)
				}
			},
			reason: "Stop returns when all is gone",
		},
		"context": {
			end:    func(_ *testing.T, _ *Cluster, cancel context.CancelFunc) { cancel() },
			reason: "an interrupt cancels the context, and nobody may get to call Stop",
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			began := time.Now()
			c, err := Start(ctx, Options{Nodes: 1, Progress: os.Stderr})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Stop()
			t.Logf("ready after %s", time.Since(began))
			running := pids(c)
			if len(running) != 5 {
				t.Fatalf("running: %v, want five components", running)
			}
			began = time.Now()
			way.end(t, c, cancel)
			for component, pid := range running {
				eventually(t, component+" ends", func(context.Context) error {
					if exists(pid) {
						return errors.New(way.reason)
					}
					return nil
				})
			}
			t.Logf("gone after %s", time.Since(began))
			if err := c.Err(); err != nil {
				t.Errorf("an end that was asked for counts as a failure: %v", err)
			}
		})
	}
}

func TestBrokenComponentIsExplained(t *testing.T) {
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), APIServerFlags: []string{"--no-such-flag"}})
	if !errors.Is(err, process.ErrEnded) {
		t.Fatalf("start with a wrong flag: %v, want %v", err, process.ErrEnded)
	}
	c, err := Start(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	if err := syscall.Kill(pids(c)["kube-controller-manager"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Failed():
	case <-t.Context().Done():
	case <-time.After(20 * time.Second):
		t.Fatal("nobody noticed that the controller manager was killed")
	}
	if err := c.Err(); !errors.Is(err, process.ErrEnded) {
		t.Errorf("after the controller manager was killed: %v, want %v", err, process.ErrEnded)
	}
}

func TestStillClusterLeavesObjectsAlone(t *testing.T) {
	if _, err := Start(t.Context(), Options{Dir: t.TempDir(), Still: true, Nodes: 1}); !errors.Is(err, errStillNodes) {
		t.Errorf("still and with nodes: %v, want %v", err, errStillNodes)
	}
	c, err := Start(t.Context(), Options{Dir: t.TempDir(), Still: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	namespace := Namespace(t, c)
	accounts, err := adminOf(t, c).CoreV1().ServiceAccounts(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if running := pids(c); len(accounts.Items) > 0 || len(running) != 2 {
		t.Errorf("%d service accounts were made and %v runs; want none, and etcd and the API server", len(accounts.Items), running)
	}
}

func TestFolderIsNotReused(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "etcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); !errors.Is(err, ErrDirInUse) {
		t.Errorf("start over old data: %v, want %v", err, ErrDirInUse)
	}
}
