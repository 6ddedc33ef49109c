// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/tests/audit"
)

// seen is what a test asks of an event.
type seen struct {
	Verb   string
	Name   string
	DryRun bool
	Code   int
}

func summary(events []audit.Event) []seen {
	var lines []seen
	for _, e := range events {
		lines = append(lines, seen{e.Verb, e.Object.Name, e.DryRun, e.Code})
	}
	return lines
}

// writeAndAsk creates a ConfigMap for real after it has asked what would
// happen, and asks what deleting it would do.
func writeAndAsk(t *testing.T, client kubernetes.Interface, namespace string) {
	t.Helper()
	maps := client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}}
	for _, dryRun := range [][]string{{metav1.DryRunAll}, nil} {
		if _, err := maps.Create(t.Context(), object, metav1.CreateOptions{DryRun: dryRun}); err != nil {
			t.Fatal(err)
		}
	}
	if err := maps.Delete(t.Context(), "settings", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(t.Context(), "settings", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestAuditTellsUsersAndDryRunsApart(t *testing.T) {
	c := Get(t)
	namespace, began := Namespace(t, c), time.Now()
	config, err := c.Config("bob", mastersGroup)
	writeAndAsk(t, clientOf(t, config, err), namespace)
	impersonating := rest.CopyConfig(config)
	impersonating.Impersonate = rest.ImpersonationConfig{UserName: "carol"}
	// Forbidden, as carol has no rights: the attempt counts all the same.
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "refused"}}
	if _, err := clientOf(t, impersonating, nil).CoreV1().ConfigMaps(namespace).
		Create(t.Context(), object, metav1.CreateOptions{}); err == nil {
		t.Fatal("carol may write")
	}

	events, err := c.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sent := audit.Select(events, audit.ByUser("bob"), audit.Since(began), audit.InNamespace(namespace))
	want := map[string][]seen{
		"dry runs": {{"create", "settings", true, 201}},
		// The delete was a dry run too, but said so in its body only, which
		// level Metadata does not hold.
		"writes": {{"create", "settings", false, 201}, {"delete", "settings", false, 200}, {"create", "", false, 403}},
		// A create has its name in the body, which is not read when it is refused.
		"carol": {{"create", "", false, 403}},
	}
	got := map[string][]seen{
		"dry runs": summary(audit.Select(sent, audit.DryRun)),
		"writes":   summary(audit.Select(sent, audit.Persisting)),
		"carol":    summary(audit.Select(events, audit.ByActor("carol"), audit.Since(began))),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit log (-want +got):\n%s", diff)
	}
}

func TestAuditAtLevelRequestSeesDryDeletes(t *testing.T) {
	c, err := Start(t.Context(), Options{Dir: t.TempDir(), AuditPolicy: audit.Policy(audit.Request)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	config, err := c.Config("bob", mastersGroup)
	writeAndAsk(t, clientOf(t, config, err), "default")
	events, err := c.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []seen{{"create", "settings", true, 201}, {"delete", "settings", true, 200}}
	if diff := cmp.Diff(want, summary(audit.Select(events, audit.ByUser("bob"), audit.DryRun))); diff != "" {
		t.Errorf("dry runs (-want +got):\n%s", diff)
	}
}

func TestControllersHaveAccountsOfTheirOwn(t *testing.T) {
	c := Get(t)
	namespace := Namespace(t, c)
	events, err := c.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Who made the account that Namespace waited for is no mere "controller
	// manager": a test can tell its loops apart.
	made := audit.Select(events, audit.Persisting, audit.InNamespace(namespace), audit.OfResource("", "serviceaccounts"))
	var users []string
	for _, event := range made {
		users = append(users, event.User)
	}
	if diff := cmp.Diff([]string{"system:serviceaccount:kube-system:service-account-controller"}, users); diff != "" {
		t.Errorf("writers of service accounts (-want +got):\n%s", diff)
	}
}
