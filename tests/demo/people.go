// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
)

// kubectl runs the real kubectl as the story's people would.
func (d *Demo) kubectl(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, d.Kubectl, args...)
	cmd.Env = []string{"KUBECONFIG=" + d.Cluster.AdminKubeconfig(), "HOME=" + d.Dir, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// holdfast runs the command that the reader can run too, and gives what it
// prints.
func (d *Demo) holdfast(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, d.Binary, args...)
	cmd.Env = []string{"KUBECONFIG=" + d.Cluster.AdminKubeconfig(), "HOME=" + d.Dir, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("holdfast %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// resources of the kinds that the story plays with.
var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":               {Version: "v1", Resource: "configmaps"},
	"Service":                 {Version: "v1", Resource: "services"},
	"ServiceAccount":          {Version: "v1", Resource: "serviceaccounts"},
	"Deployment":              {Group: "apps", Version: "v1", Resource: "deployments"},
	"CronJob":                 {Group: "batch", Version: "v1", Resource: "cronjobs"},
	"HorizontalPodAutoscaler": {Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	"ExternalSecret":          {Group: "external-secrets.io", Version: "v1", Resource: "externalsecrets"},
	"RoleBinding":             {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
}

func (d *Demo) resource(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	r, ok := resources[o.GetKind()]
	if !ok {
		return nil, fmt.Errorf("the story does not know the kind %s", o.GetKind())
	}
	return d.client.Resource(r).Namespace(o.GetNamespace()), nil
}

func (d *Demo) create(ctx context.Context, o *unstructured.Unstructured, manager string) error {
	client, err := d.resource(o)
	if err != nil {
		return err
	}
	if _, err := client.Create(ctx, o, metav1.CreateOptions{FieldManager: manager}); err != nil {
		return fmt.Errorf("deploying %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

// backdate sets the time of a manager's last write into the past: the API
// server keeps what managedFields says. Everything else about the write is real.
func (d *Demo) backdate(ctx context.Context, o *unstructured.Unstructured, manager string, at time.Time) error {
	client, err := d.resource(o)
	if err != nil {
		return err
	}
	// The object's own controllers write its status meanwhile, more slowly on a
	// busy machine: a conflict is read again.
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		liveObject, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		entries := liveObject.GetManagedFields()
		for i := range entries {
			if entries[i].Manager == manager {
				when := metav1.NewTime(at)
				entries[i].Time = &when
			}
		}
		liveObject.SetManagedFields(entries)
		_, err = client.Update(ctx, liveObject, metav1.UpdateOptions{FieldManager: manager})
		return err
	})
	if err != nil {
		return fmt.Errorf("backdating %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

func object(kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetKind(kind)
	o.SetNamespace(Namespace)
	o.SetName(name)
	return o
}

// editByHand is what people and the autoscaler did to the cluster since.
func (d *Demo) editByHand(ctx context.Context, now time.Time) error {
	edits := []struct {
		kind, name, manager string
		ago                 time.Duration
		args                []string
	}{
		{"ConfigMap", "users-api-env", "kubectl-edit", 202 * day, []string{
			"patch", "configmap", "users-api-env", "--field-manager=kubectl-edit", "--type=merge",
			"-p", `{"data":{"DB_HOST":"pgbouncer-primary.users.svc.cluster.local"}}`,
		}},
		{"Deployment", "users-api", "kubectl-set", 180 * day, []string{"set", "env", "deployment/users-api", "PGSSLMODE=disable"}},
		{"RoleBinding", "tmp-debug", "kubectl-create", 393 * day, []string{
			"create", "rolebinding", "tmp-debug", "--clusterrole=view", "--user=contractor@example.com",
		}},
		{"", "", "", 0, []string{
			"patch", "deployment", "users-api", "--subresource=scale", "--field-manager=kube-controller-manager",
			"--type=merge", "-p", `{"spec":{"replicas":5}}`,
		}},
	}
	for _, e := range edits {
		if err := d.kubectl(ctx, append([]string{"-n", Namespace}, e.args...)...); err != nil {
			return err
		}
		if e.kind == "" {
			continue
		}
		if err := d.backdate(ctx, object(e.kind, e.name), e.manager, now.Add(-e.ago)); err != nil {
			return err
		}
	}
	return nil
}

const day = 24 * time.Hour
