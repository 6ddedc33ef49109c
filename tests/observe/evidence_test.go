// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestEvidence: what explains a difference is found beside the object, in the
// cluster and in the set.
func TestEvidence(t *testing.T) {
	const web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {meta.helm.sh/release-name: shop}, labels: {argocd.argoproj.io/instance: shop-app}}\n" +
		"spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n"
	const scaler = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: %s}\n" +
		"spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n"
	c := cluster.Get(t)
	o := connect(t, c.AdminConfig())
	namespace := cluster.Namespace(t, c)
	apply(t, c, "helm", objects(t, o, namespace, web+fmt.Sprintf(scaler, "live"))...)
	apply(t, c, "platform-team", objects(t, o, "", mutating(namespace))...)
	set := objects(t, o, namespace, web+fmt.Sprintf(scaler, "declared"))

	s := o.Gather(t.Context(), set, scope)
	if len(s.Unread) > 0 {
		t.Errorf("could not be read: %v", s.Unread)
	}
	got := o.Read(t.Context(), set[0], s).Evidence
	want := live.Evidence{
		Scalers: []string{"HorizontalPodAutoscaler declared", "HorizontalPodAutoscaler live"},
		Mutators: []string{
			"MutatingAdmissionPolicy observe-labels", "MutatingWebhookConfiguration observe-images",
		},
		Tracked: []string{"Helm release shop", "Argo CD application shop-app"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if other := o.Read(t.Context(), set[1], s).Evidence; len(other.Mutators) > 0 {
		t.Errorf("configurations of Deployments match a HorizontalPodAutoscaler: %v", other.Mutators)
	}
}

// mutating are configurations that match Deployments of one namespace, and one
// that would match if its policy were bound. The webhook may fail to answer.
func mutating(namespace string) string {
	return strings.ReplaceAll(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: observe-images}
webhooks:
- name: images.observe.example.com
  clientConfig: {url: "https://127.0.0.1:9/images"}
  failurePolicy: Ignore
  timeoutSeconds: 1
  rules: [{apiGroups: [apps], apiVersions: ["*"], operations: [CREATE], resources: [deployments]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: observe-labels}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{annotations: {"observe.example.com/seen": "yes"}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: observe-labels}
spec:
  policyName: observe-labels
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: observe-unbound}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{annotations: {"observe.example.com/unbound": "yes"}}}'}
`, "NAMESPACE", namespace)
}

// TestAdmissionKeyFollowsConfigurations: a restored form that was found before
// a configuration changed is not to be trusted.
func TestAdmissionKeyFollowsConfigurations(t *testing.T) {
	c := cluster.Get(t)
	key := func() string {
		k, err := connect(t, c.AdminConfig()).AdmissionKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	o := connect(t, c.AdminConfig())
	before := key()
	if again := key(); again != before {
		t.Errorf("the key changed by itself: %s, %s", before, again)
	}
	apply(t, c, "platform-team", objects(t, o, "", strings.ReplaceAll(mutating("nowhere"), "observe-", "key-"))...)
	if after := key(); after == before {
		t.Error("a new configuration did not change the key")
	}
}

// TestEarlierRenders reads what Helm stored of a release.
func TestEarlierRenders(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	for version := range 7 {
		store(t, c, namespace, version+1, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {HOST: host-%d}\n", version+1))
	}
	o := connect(t, c.AdminConfig())
	earlier, err := o.Earlier(t.Context(), observe.Release{Namespace: namespace, Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for _, obj := range earlier.Of(manifest.ID{Kind: "ConfigMap", Namespace: namespace, Name: "env"}) {
		data, _ := obj.Object["data"].(map[string]any)
		hosts = append(hosts, fmt.Sprint(data["HOST"]))
	}
	if diff := cmp.Diff([]string{"host-3", "host-4", "host-5", "host-6", "host-7"}, hosts); diff != "" {
		t.Errorf("renders (-want +got):\n%s", diff)
	}
	poor := actingAs(t, c, observer(t, c, namespace, rule("", "configmaps", "get")))
	if _, err := poor.Earlier(t.Context(), observe.Release{Namespace: namespace, Name: "shop"}); !errors.Is(err, observe.ErrForbidden) {
		t.Errorf("without the right to read Secrets: got %v, want ErrForbidden", err)
	}
}

// store writes a release as Helm does.
func store(t *testing.T, c *cluster.Cluster, namespace string, version int, text string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"name": "shop", "version": version, "manifest": text})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("sh.helm.release.v1.shop.v%d", version),
			Labels: map[string]string{"owner": "helm", "name": "shop", "status": "superseded", "version": fmt.Sprint(version)},
		},
		Type: "helm.sh/release.v1",
		Data: map[string][]byte{"release": []byte(base64.StdEncoding.EncodeToString(packed.Bytes()))},
	}
	if _, err := kube(t, c).CoreV1().Secrets(namespace).Create(t.Context(), secret, metav1.CreateOptions{FieldManager: "helm"}); err != nil {
		t.Fatal(err)
	}
}

// TestPodStarts tells the start of the running pods by the start of the containers: one that has
// restarted since runs on the new values.
func TestPodsBeforeAChange(t *testing.T) {
	c := cluster.Get(t)
	namespace := cluster.Namespace(t, c)
	client := kube(t, c)
	now := time.Now().Truncate(time.Second)
	for name, started := range map[string]time.Time{"old": now.Add(-time.Hour), "new": now.Add(time.Hour), "ended": now.Add(-time.Hour)} {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "web"}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		pod, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(started)},
		}}}
		if name == "ended" {
			pod.Status.Phase = corev1.PodSucceeded
		}
		if _, err := client.CoreV1().Pods(namespace).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	selector := labels.SelectorFromSet(labels.Set{"app": "web"})
	got, err := connect(t, c.AdminConfig()).PodStarts(t.Context(), namespace, selector)
	if want := []time.Time{now.Add(-time.Hour), now.Add(time.Hour)}; err != nil || !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("got %v %v, want %v", got, err, want)
	}
}
