// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

func TestForeignClusterIsUsedAndLeftAlone(t *testing.T) {
	owner := Get(t)
	c, err := Start(t.Context(), Options{Kubeconfig: owner.AdminKubeconfig()})
	if err != nil {
		t.Fatal(err)
	}
	if c.Embedded() {
		t.Error("it counts as embedded")
	}
	config, err := c.Config("dave")
	client := clientOf(t, config, err)
	review, err := client.AuthenticationV1().SelfSubjectReviews().
		Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := review.Status.UserInfo.Username; got != "dave" {
		t.Errorf("config: the user is %q, want dave", got)
	}
	path, err := c.Kubeconfig("erin")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Impersonate.UserName != "erin" {
		t.Errorf("kubeconfig: the user is %q, want erin", loaded.Impersonate.UserName)
	}
	for name, refused := range map[string]func() error{
		"AuditLog":       func() error { _, err := c.AuditLog(); return err },
		"Audit":          func() error { _, err := c.Audit(t.Context()); return err },
		"StopAPIServer":  c.StopAPIServer,
		"StartAPIServer": func() error { return c.StartAPIServer(t.Context()) },
	} {
		if err := refused(); !errors.Is(err, ErrNotEmbedded) {
			t.Errorf("%s: %v, want %v", name, err, ErrNotEmbedded)
		}
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := adminOf(t, owner).Discovery().ServerVersion(); err != nil {
		t.Errorf("Stop touched a cluster that is not ours: %v", err)
	}
}

func TestForeignClusterMustAnswer(t *testing.T) {
	if _, err := Start(t.Context(), Options{Kubeconfig: filepath.Join(t.TempDir(), "none.yaml")}); err == nil {
		t.Error("a kubeconfig that does not exist: no error")
	}
}

func TestNamesOfFiles(t *testing.T) {
	service, dashes := fileName("system:serviceaccount:a:b", nil), fileName("system-serviceaccount-a-b", nil)
	if service == dashes {
		t.Errorf("two users share the file %s", service)
	}
	if fileName("x", nil) == fileName("x", []string{"g"}) {
		t.Error("a user with and without a group share a file")
	}
	for test, want := range map[string]string{
		"TestDrift/By_hand": "t-drift-by-hand-",
		"Test":              "t--",
		"TestAVeryLongNameThatGoesOnUntilNoNamespaceCanHoldIt": "t-averylongnamethatgoesonuntilnonamespacec-",
	} {
		if got := namePrefix(test); got != want {
			t.Errorf("namespace of %s: %s, want %s", test, got, want)
		}
	}
}
