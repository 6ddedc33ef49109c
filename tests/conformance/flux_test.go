// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
	"github.com/holdfast-gitops/holdfast/tests/conformance/play"
	"github.com/holdfast-gitops/holdfast/tests/conformance/subject"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/process"
)

// Variables of `make flux`, which refuses to run without them.
const (
	// envKustomize is Flux's kustomize-controller.
	envKustomize = "KUSTOMIZE_CONTROLLER"
	// envKustomizeKinds is the folder of its CRDs.
	envKustomizeKinds = "KUSTOMIZE_KINDS"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {value: %q}\n"

// TestFluxReconcilesFromOurs: Flux's kustomize-controller, as it is, applies what
// our artifacts hold, from Git and from a registry, and follows a new revision.
func TestFluxReconcilesFromOurs(t *testing.T) {
	binary := os.Getenv(envKustomize)
	if binary == "" {
		t.Logf("%s is not given: make flux runs this", envKustomize)
		return
	}
	h := open(t)
	if err := h.cluster.ApplyDir(t.Context(), os.Getenv(envKustomizeKinds), "conformance"); err != nil {
		t.Fatal(err)
	}
	h.startKustomize(t, binary)
	player := h.player(t, os.Getenv(envSubject), "")
	namespace := cluster.Namespace(t, h.cluster)
	steps := []casefile.Step{
		{Git: &fixture.Change{Repo: "app", Write: map[string]string{"a.yaml": fmt.Sprintf(configMap, "from-git", "1")}, Commit: "first", Save: "first"}},
		{OCI: &fixture.Push{Name: "app", Tags: []string{"latest"}, Layers: []fixture.Layer{{Files: map[string]string{"b.yaml": fmt.Sprintf(configMap, "from-oci", "1")}}}}},
		{Apply: fmt.Sprintf(gitObject, "app", "{branch: main}") + ociObject + kustomizations},
		{Expect: &casefile.Expect{Object: "GitRepository/app", Observed: "Current", Artifact: casefile.Artifact{Revision: "main@sha1:${first}"}}},
	}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: "flux", Steps: steps}); err != nil {
		t.Fatal(err)
	}
	h.value(t, namespace, "from-git", "1")
	h.value(t, namespace, "from-oci", "1")
	repo, err := h.stage.Git.Create(t.Context(), namespace+"/app.git")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Change(t.Context(), fixture.Change{Write: map[string]string{"a.yaml": fmt.Sprintf(configMap, "from-git", "2")}, Commit: "second"}); err != nil {
		t.Fatal(err)
	}
	h.request(t, namespace, "second")
	h.value(t, namespace, "from-git", "2")
}

const kustomizations = `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: git}
spec: {interval: 1h, prune: true, path: ./, targetNamespace: "${NS}", sourceRef: {kind: GitRepository, name: app}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: oci}
spec: {interval: 1h, prune: true, path: ./, targetNamespace: "${NS}", sourceRef: {kind: OCIRepository, name: app}}
`

// startKustomize runs Flux's consumer until the test ends.
func (h hall) startKustomize(t *testing.T, binary string) {
	t.Helper()
	health, err := holdfast.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p, err := process.Start(process.Command{
		Name: "kustomize-controller", Path: binary, Log: dir + "/log",
		Args: []string{"--metrics-addr=0", "--health-addr=" + health, "--enable-leader-election=false", "--requeue-dependency=1s"},
		Env:  []string{"KUBECONFIG=" + h.cluster.AdminKubeconfig(), "PATH=" + os.Getenv("PATH"), "RUNTIME_NAMESPACE=" + subject.Namespace, "TMPDIR=" + dir, "HOME=" + dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.Tail())
		}
		p.Stop(15 * time.Second)
	})
}

func (h hall) value(t *testing.T, namespace, name, want string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		var got corev1.ConfigMap
		if err := h.stage.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &got); err != nil {
			return err
		}
		if got.Data["value"] != want {
			return fmt.Errorf("%s has %q, want %q", name, got.Data["value"], want)
		}
		return nil
	})
}

// request asks for a pass over the GitRepository app.
func (h hall) request(t *testing.T, namespace, token string) {
	t.Helper()
	obj := &sourcev1.GitRepository{}
	obj.Namespace, obj.Name = namespace, "app"
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, token)
	if err := h.stage.Client.Patch(t.Context(), obj, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// TestOursObservesFromFlux: our drift-controller judges what Flux's
// source-controller serves.
func TestOursObservesFromFlux(t *testing.T) {
	oracle := os.Getenv(envOracle)
	if oracle == "" {
		t.Logf("%s is not given: make flux runs this", envOracle)
		return
	}
	h := open(t)
	player := h.player(t, oracle, "")
	drift, err := holdfast.Start(t.Context(), holdfast.Options{Cluster: h.cluster, Root: root, Dir: t.TempDir()}, holdfast.Drift)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(drift.Stop)
	namespace := cluster.Namespace(t, h.cluster)
	steps := []casefile.Step{
		{Git: &fixture.Change{Repo: "app", Write: map[string]string{"a.yaml": fmt.Sprintf(configMap, "from-git", "1")}, Commit: "first", Save: "first"}},
		{Apply: fmt.Sprintf(gitObject, "app", "{branch: main}") + fmt.Sprintf("---\n"+configMap, "from-git", "changed by hand")},
		{Expect: &casefile.Expect{Object: "GitRepository/app", Observed: "Current", Artifact: casefile.Artifact{Revision: "main@sha1:${first}"}}},
	}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: "drift", Steps: steps}); err != nil {
		t.Fatal(err)
	}
	objects, err := manifest.Decode("application.yaml", []byte(strings.ReplaceAll(application, "NAME", namespace)))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := h.cluster.Apply(t.Context(), "conformance", o.Unstructured); err != nil {
			t.Fatal(err)
		}
	}
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(schema.GroupVersionKind{Group: "drift.holdfast.dev", Version: "v1alpha1", Kind: "Application"})
	eventually(t, func(ctx context.Context) error {
		if err := h.stage.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "app"}, app); err != nil {
			return err
		}
		if drifted, _, _ := unstructured.NestedInt64(app.Object, "status", "summary", "drifted"); drifted != 1 {
			return fmt.Errorf("the hand edit is not seen: %v", app.Object["status"])
		}
		return nil
	})
}

// application is an Application that observes one ConfigMap.
const application = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: observer, namespace: NAME}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: observer, namespace: NAME}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: observer-dry-run-only, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: holdfast-observer}
subjects: [{kind: ServiceAccount, name: observer, namespace: NAME}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: observer, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: observer}
subjects: [{kind: ServiceAccount, name: observer, namespace: NAME}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: acts-as-observer, namespace: NAME}
rules:
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [observer], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: acts-as-observer, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: acts-as-observer}
subjects: [{kind: ServiceAccount, name: drift-controller, namespace: holdfast-system}]
---
apiVersion: drift.holdfast.dev/v1alpha1
kind: Application
metadata: {name: app, namespace: NAME}
spec:
  sourceRef: {kind: GitRepository, name: app}
  path: .
  identity: {observe: observer}
  interval: 1m
  strays: {report: false}
`

// TestSwappedBinary: the binary is changed under existing objects, there and
// back, on the same store and on an empty one.
func TestSwappedBinary(t *testing.T) {
	oracle := os.Getenv(envOracle)
	if oracle == "" {
		t.Logf("%s is not given: make flux runs this", envOracle)
		return
	}
	for name, empty := range map[string]bool{"same store": false, "empty store": true} {
		t.Run(name, func(t *testing.T) { swap(t, open(t), oracle, empty) })
	}
}

func swap(t *testing.T, h hall, oracle string, empty bool) {
	t.Helper()
	s, err := subject.New(subject.Options{Name: "swapped", Binary: h.ours, Kubeconfig: h.cluster.AdminKubeconfig(), Dir: t.TempDir(), Flags: []string{workers}})
	if err != nil {
		t.Fatal(err)
	}
	start(t, s)
	namespace := cluster.Namespace(t, h.cluster)
	player := play.Player{Stage: h.stage, Subject: s}
	repo, err := h.stage.Git.Create(t.Context(), namespace+"/app.git")
	if err != nil {
		t.Fatal(err)
	}
	push := func(n int) string {
		commit, err := repo.Change(t.Context(), fixture.Change{Write: map[string]string{"a.yaml": fmt.Sprint(n)}, Commit: fmt.Sprint(n), Save: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return commit
	}
	commit := push(0)
	steps := []casefile.Step{{Apply: fmt.Sprintf(gitObject, "app", "{branch: main}")}, {Expect: &casefile.Expect{Object: "GitRepository/app", Observed: "Current"}}}
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: "swap", Steps: steps}); err != nil {
		t.Fatal(err)
	}
	before := h.artifactAt(t, namespace, commit, "")
	for i, binary := range []string{oracle, h.ours, oracle, h.ours} {
		s.Stop()
		if empty {
			if err := os.RemoveAll(s.Storage); err != nil {
				t.Fatal(err)
			}
		}
		s.Become(binary)
		start(t, s)
		token := fmt.Sprintf("swap-%d", i)
		h.request(t, namespace, token)
		kept := h.artifactAt(t, namespace, commit, token)
		if !empty && (kept.Status.Artifact.Digest != before.Status.Artifact.Digest || !kept.Status.Artifact.LastUpdateTime.Equal(&before.Status.Artifact.LastUpdateTime)) {
			t.Errorf("swap %d: what was stored is stored anew: %+v, before %+v", i, kept.Status.Artifact, before.Status.Artifact)
		}
		commit = push(i + 1)
		h.request(t, namespace, token+"-new")
		before = h.artifactAt(t, namespace, commit, token+"-new")
	}
}

// artifactAt waits until a request is handled and the object is Ready with the
// artifact of a commit, whose bytes are then those that the status names.
func (h hall) artifactAt(t *testing.T, namespace, commit, token string) *sourcev1.GitRepository {
	t.Helper()
	obj := &sourcev1.GitRepository{}
	eventually(t, func(ctx context.Context) error {
		if err := h.stage.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "app"}, obj); err != nil {
			return err
		}
		a := obj.Status.Artifact
		switch {
		case obj.Status.LastHandledReconcileAt != token:
			return fmt.Errorf("the request %q is not handled, %q was", token, obj.Status.LastHandledReconcileAt)
		case a == nil || a.Revision != "main@sha1:"+commit:
			return fmt.Errorf("the artifact is %+v, want %s", a, commit)
		}
		return play.Verify(ctx, *a)
	})
	return obj
}
