// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

func TestNear(t *testing.T) {
	var apps []v1alpha1.Application
	for _, n := range [][2]string{{"users", "users-api"}, {"users", "worker"}, {"billing", "users-api"}, {"billing", "invoices"}} {
		apps = append(apps, v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: n[0], Name: n[1]}})
	}
	tests := map[string]struct {
		reason          string
		namespace, name string
		want            []string
	}{
		"a slip":              {reason: "few letters away", namespace: "users", name: "user-api", want: []string{"users-api", "users-api -n billing"}},
		"the wrong namespace": {reason: "the commonest mistake comes first, and is an argument to paste", namespace: "billing", name: "worker", want: []string{"worker -n users"}},
		"a part":              {reason: "people remember the middle", namespace: "users", name: "api", want: []string{"users-api", "users-api -n billing"}},
		"nothing near":        {reason: "a wrong guess is worse than none", namespace: "users", name: "prometheus", want: nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Near(tc.namespace, tc.name, apps)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
