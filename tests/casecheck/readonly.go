// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// reader is an account of a cluster whose owner grants nothing but looking.
var reader = observe.Identity{Namespace: "kube-system", ServiceAccount: "reader-of-cases"}

// granted gives the reader its rights, and the cluster as it sees it.
func granted(ctx context.Context, c *cluster.Cluster, connected *observe.Cluster) (*observe.Cluster, error) {
	role := &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: reader.ServiceAccount},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}},
	}
	binding := &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: reader.ServiceAccount},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: reader.Namespace, Name: reader.ServiceAccount}},
	}
	for _, object := range []any{role, binding} {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		if err := c.Apply(ctx, "platform-team", &unstructured.Unstructured{Object: fields}); err != nil {
			return nil, err
		}
	}
	return connected.As(reader)
}

// readOnly looks at the live objects once more as an account that may only
// read, as on a cluster that nobody gave write rights to. Each object is right
// or Unknown; nothing is red that the dry run does not show; and what Git
// declares and what people wrote is found all the same.
func (r *Runner) readOnly(ctx context.Context, c casefile.Case, with sight) (Result, error) {
	result := Result{Way: ReadOnly}
	blind := *r
	blind.cluster = r.reader
	s := sight{applications: with.applications, memory: with.memory, removed: with.removed}
	s.around = blind.cluster.Gather(ctx, s.declared(), mask.Scope{Key: r.key})
	for _, before := range with.objects {
		seen, err := blind.see(ctx, before.application, before.desired, s.around)
		if err != nil {
			return result, err
		}
		if o := seen.observation; o.Live != nil && o.Failure == nil && o.Precision != api.PrecisionDeclaredFields {
			return result, fmt.Errorf("%s was seen as %s by an account that may only read", o.ID, o.Precision)
		}
		s.objects = append(s.objects, seen)
	}
	census, err := blind.cluster.Census(ctx, s.namespaces(), s.knows(c))
	if err != nil {
		return result, err
	}
	s.strays = census.Strays
	got, most := r.outcome(s, s.judge(&blind)), r.outcome(with, with.judge(r))
	result.Problems = r.check(c, got, verdict.Rigor{DeclaredFields: true})
	result.Problems = append(result.Problems, verdict.NoMoreThan(got, most)...)
	result.Problems = append(result.Problems, verdict.NoLessThan(got, most)...)
	return result, nil
}
