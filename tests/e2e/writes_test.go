// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/tests/lab"
)

const web = `
apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {DB_HOST: pgbouncer, LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        envFrom: [{configMapRef: {name: env}}]
`

// mayWrite grants what the observer's own Role leaves out, so that a refusal
// below is the policy's and not that of RBAC.
const mayWrite = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: careless}
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [update, delete, deletecollection]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: careless}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: careless}
subjects: [{kind: ServiceAccount, name: observer}]
`

// TestPolicyRefusesObserver: what the account can dry-run it cannot do, even
// where RBAC would let it.
func TestPolicyRefusesObserver(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	deploy(t, s, "helm", web)
	apply(t, s, strings.ReplaceAll(mayWrite, "name: observer}", "name: observer, namespace: "+s.Namespace+"}"))
	config := s.Cluster.AdminConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + s.Namespace + ":" + lab.Observer}
	client, err := kubernetes.NewForConfig(config)
	must(t, err)
	maps := client.CoreV1().ConfigMaps(s.Namespace)
	fresh := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "fresh"}}
	patch := []byte(`{"data":{"LEVEL":"debug"}}`)
	writes := map[string]func(ctx context.Context, dryRun []string) error{
		"create": func(ctx context.Context, dry []string) error {
			_, err := maps.Create(ctx, fresh, metav1.CreateOptions{DryRun: dry})
			return err
		},
		"patch": func(ctx context.Context, dry []string) error {
			_, err := maps.Patch(ctx, "env", types.MergePatchType, patch, metav1.PatchOptions{DryRun: dry})
			return err
		},
		"apply": func(ctx context.Context, dry []string) error {
			text := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"env"},"data":{"LEVEL":"debug"}}`)
			force := true
			_, err := maps.Patch(ctx, "env", types.ApplyPatchType, text, metav1.PatchOptions{DryRun: dry, FieldManager: "observer", Force: &force})
			return err
		},
		"delete": func(ctx context.Context, dry []string) error {
			return maps.Delete(ctx, "env", metav1.DeleteOptions{DryRun: dry})
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			if err := write(t.Context(), []string{metav1.DryRunAll}); err != nil {
				t.Errorf("the dry run is refused, and Observe needs it: %v", err)
			}
			err := write(t.Context(), nil)
			var refusal apierrors.APIStatus
			if !errors.As(err, &refusal) || refusal.Status().Code != 403 || !strings.Contains(refusal.Status().Message, "holdfast-observers") {
				t.Errorf("a real write as the observer: got %v, want a refusal by the policy holdfast-observers", err)
			}
		})
	}
	kept, err := kubernetes.NewForConfig(s.Cluster.AdminConfig())
	must(t, err)
	env, err := kept.CoreV1().ConfigMaps(s.Namespace).Get(t.Context(), "env", metav1.GetOptions{})
	must(t, err)
	if env.Data["LEVEL"] != "info" {
		t.Errorf("the refused writes changed the object: %v", env.Data)
	}
}
