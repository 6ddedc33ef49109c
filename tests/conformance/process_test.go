// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
	"github.com/holdfast-gitops/holdfast/tests/conformance/play"
	"github.com/holdfast-gitops/holdfast/tests/conformance/subject"
)

// first is a case that makes one artifact.
func first(expect casefile.Expect) []casefile.Step {
	expect.Object, expect.Observed, expect.Revision = "GitRepository/app", "Current", "main@sha1:${first}"
	return []casefile.Step{
		{Git: &fixture.Change{Repo: "app", Write: map[string]string{"a.yaml": "1\n"}, Commit: "first", Save: "first"}},
		{Apply: fmt.Sprintf(gitObject, "app", "{branch: main}")},
		{Expect: &expect},
	}
}

// playOne plays steps in a namespace of their own and gives the object.
func (h hall) playOne(t *testing.T, player play.Player, steps []casefile.Step) *sourcev1.GitRepository {
	t.Helper()
	namespace := cluster.Namespace(t, h.cluster)
	if _, err := player.Play(t.Context(), namespace, casefile.Case{Name: t.Name(), About: t.Name(), Steps: steps}); err != nil {
		t.Fatal(err)
	}
	obj := &sourcev1.GitRepository{}
	if err := h.stage.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "app"}, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// eventually polls until the work succeeds.
func eventually(t *testing.T, work func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := work(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-tick.C:
		}
	}
}

func get(ctx context.Context, url string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// TestDefinitionsAreFlux: what the API server serves is what Flux's clients ask for.
func TestDefinitionsAreFlux(t *testing.T) {
	h := open(t)
	for plural, names := range map[string]string{"gitrepositories": "gitrepo", "ocirepositories": "ocirepo"} {
		crd := &unstructured.Unstructured{}
		crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
		if err := h.stage.Client.Get(t.Context(), client.ObjectKey{Name: plural + ".source.toolkit.fluxcd.io"}, crd); err != nil {
			t.Fatal(err)
		}
		categories, _, _ := unstructured.NestedStringSlice(crd.Object, "spec", "names", "categories")
		short, _, _ := unstructured.NestedStringSlice(crd.Object, "spec", "names", "shortNames")
		versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
		got := fmt.Sprintf("%v %v %d %s", short, categories, len(versions), crd.GetAnnotations()["kustomize.toolkit.fluxcd.io/substitute"])
		if want := "[" + names + "] [all fluxcd fluxcd-sources] 1 disabled"; got != want {
			t.Errorf("%s: got %s, want %s", plural, got, want)
		}
	}
}

// TestEventsAndMetrics: what the notification-controller and dashboards read.
func TestEventsAndMetrics(t *testing.T) {
	h := open(t)
	player := h.player(t, os.Getenv(envSubject), "")
	obj := h.playOne(t, player, first(casefile.Expect{Events: []string{"info NewArtifact"}}))
	events := h.stage.Sink.Events("GitRepository", obj.Namespace, "app")
	last := events[len(events)-1]
	group := sourcev1.GroupVersion.Group + "/"
	if last.Metadata[group+"revision"] != obj.Status.Artifact.Revision || last.Metadata[group+"digest"] != obj.Status.Artifact.Digest ||
		last.ReportingController != "source-controller" || last.ReportingInstance == "" || last.InvolvedObject.APIVersion != sourcev1.GroupVersion.String() ||
		!strings.HasPrefix(last.Message, "stored artifact for commit 'first'") {
		t.Errorf("the receiver cannot filter or show this event: %+v", last)
	}
	eventually(t, func(ctx context.Context) error {
		_, body, err := get(ctx, "http://"+player.Subject.Metrics+"/metrics")
		if err != nil {
			return err
		}
		series := fmt.Sprintf(`gotk_reconcile_duration_seconds_count{kind="GitRepository",name="app",namespace=%q}`, obj.Namespace)
		if !strings.Contains(body, series) {
			return fmt.Errorf("no series %s", series)
		}
		return nil
	})
}

// TestRestart: under another address and algorithm the artifact is the same, its
// address is new and its old file counts; with an empty store it comes back.
func TestRestart(t *testing.T) {
	h := open(t)
	player := h.player(t, os.Getenv(envSubject), "")
	obj := h.playOne(t, player, first(casefile.Expect{}))
	before := obj.Status.Artifact.DeepCopy()
	player.Subject.Stop()
	if err := player.Subject.Start(workers, "--storage-adv-addr=sources.example.:8080", "--artifact-digest-algo=sha512"); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		if err := h.stage.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		a := obj.Status.Artifact
		if a == nil || a.URL != "http://sources.example.:8080/"+before.Path || a.Digest != before.Digest {
			return fmt.Errorf("the artifact is %+v, want that of %+v under the new address", a, before)
		}
		return nil
	})
	player.Subject.Stop()
	if err := os.RemoveAll(player.Subject.Storage); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(player.Subject.Storage, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := player.Subject.Start(workers, "--artifact-digest-algo=sha512"); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		if err := h.stage.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		if a := obj.Status.Artifact; a == nil || !strings.HasPrefix(a.Digest, "sha512:") || a.Revision != before.Revision {
			return fmt.Errorf("the artifact is %+v, want revision %s named by sha512", a, before.Revision)
		}
		return nil
	})
}

// TestStartRefuses: a mistake on the command line ends the start.
func TestStartRefuses(t *testing.T) {
	h := open(t)
	for name, flag := range map[string]string{"gate": "--feature-gates=TimeTravel=true", "flag": "--storage-paht=/x", "algorithm": "--artifact-digest-algo=crc32"} {
		t.Run(name, func(t *testing.T) {
			s := h.subjectOf(t, os.Getenv(envSubject), flag)
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
			defer s.Stop()
			eventually(t, func(context.Context) error {
				if s.Err() == nil {
					return fmt.Errorf("it runs with %s", flag)
				}
				return nil
			})
		})
	}
}

// TestCachedSecrets: the gate that caches Secrets ends the start where they may
// not be watched, and works where they may.
func TestCachedSecrets(t *testing.T) {
	h := open(t)
	const gate = "--feature-gates=CacheSecretsAndConfigMaps=true"
	refused := h.subjectOf(t, "", gate)
	if err := refused.Start(); err != nil {
		t.Fatal(err)
	}
	defer refused.Stop()
	eventually(t, func(context.Context) error {
		if refused.Err() == nil {
			return fmt.Errorf("it runs without the right to watch Secrets")
		}
		return nil
	})
	// As administrator, and over SSH, which needs a Secret.
	s := h.subjectOf(t, h.ours, gate, workers)
	start(t, s)
	h.playOne(t, play.Player{Stage: h.stage, Subject: s, Ours: true}, []casefile.Step{
		{Git: &fixture.Change{Repo: "app", Write: map[string]string{"a.yaml": "1\n"}, Commit: "first", Save: "first"}},
		{Apply: sshObject},
		{Expect: &casefile.Expect{Object: "GitRepository/app", Conditions: []string{"ArtifactInStorage=True Succeeded", "Ready=True Succeeded"}}},
	})
}

// TestSSHAlgorithmFlags: what the flags leave out is not negotiated, and what they
// name is. Both binaries are run where there is an oracle.
func TestSSHAlgorithmFlags(t *testing.T) {
	h := open(t)
	failed := []string{"FetchFailed=True GitOperationFailed", "Ready=False GitOperationFailed", "Reconciling=True ProgressingWithRetry"}
	stored := []string{"ArtifactInStorage=True Succeeded", "Ready=True Succeeded"}
	tests := map[string]struct {
		flags []string
		want  []string
	}{
		"offered":      {[]string{"--ssh-kex-algos=curve25519-sha256", "--ssh-hostkey-algos=ssh-ed25519"}, stored},
		"key exchange": {[]string{"--ssh-kex-algos=diffie-hellman-group1-sha1"}, failed},
		"host key":     {[]string{"--ssh-hostkey-algos=ecdsa-sha2-nistp256"}, failed},
	}
	binaries := []string{os.Getenv(envSubject)}
	if oracle := os.Getenv(envOracle); oracle != "" {
		binaries = append(binaries, oracle)
	}
	for name, tc := range tests {
		for _, binary := range binaries {
			t.Run(name, func(t *testing.T) {
				s := h.subjectOf(t, binary, append(tc.flags, workers)...)
				start(t, s)
				h.playOne(t, play.Player{Stage: h.stage, Subject: s, Ours: binary == ""}, []casefile.Step{
					{Git: &fixture.Change{Repo: "app", Write: map[string]string{"a.yaml": "1\n"}, Commit: "first", Save: "first"}},
					{Apply: sshObject},
					{Expect: &casefile.Expect{Object: "GitRepository/app", Conditions: tc.want}},
				})
				s.Stop()
			})
		}
	}
}

const sshObject = `apiVersion: v1
kind: Secret
metadata: {name: key}
data: {identity: "${SSH_IDENTITY}", known_hosts: "${SSH_KNOWN_HOSTS}"}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app}
spec: {url: "${SSH}/${NS}/app.git", ref: {branch: main}, interval: 1h, secretRef: {name: key}}
`

// TestLeaderAndStandby: both replicas are Ready and both give the artifact, from
// the one store that is current; each shard has a lease of its own.
func TestLeaderAndStandby(t *testing.T) {
	h := open(t)
	shard := play.ShardLabel + "=pair"
	flags := []string{workers, "--leader-election-lease-duration=3s", "--leader-election-renew-deadline=2s", "--leader-election-retry-period=500ms", "--watch-label-selector=" + shard}
	leader := h.subjectOf(t, "", flags...)
	start(t, leader, "--enable-leader-election=true")
	obj := h.playOne(t, play.Player{Stage: h.stage, Subject: leader, Shard: "pair", Ours: true}, first(casefile.Expect{}))
	standby := h.subjectOf(t, "", flags...)
	start(t, standby, "--enable-leader-election=true")
	eventually(t, func(ctx context.Context) error {
		status, body, err := get(ctx, "http://"+standby.Address+"/"+obj.Status.Artifact.Path)
		if err != nil || status != http.StatusOK || int64(len(body)) != *obj.Status.Artifact.Size {
			return fmt.Errorf("the standby gives %d and %d bytes (%w)", status, len(body), err)
		}
		return nil
	})
	if files, _ := filepath.Glob(filepath.Join(standby.Storage, "*")); len(files) != 0 {
		t.Errorf("the standby stored %v", files)
	}
	var leases coordinationv1.LeaseList
	if err := h.stage.Client.List(t.Context(), &leases, client.InNamespace(subject.Namespace)); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, lease := range leases.Items {
		found = found || strings.HasPrefix(lease.Name, "source-controller-leader-election-")
	}
	if !found {
		t.Errorf("no lease of the shard among %d", len(leases.Items))
	}
	// A crash of the leader: the standby takes over with an empty store.
	leader.Kill()
	eventually(t, func(ctx context.Context) error {
		if err := h.stage.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		a := obj.Status.Artifact
		if a == nil || !strings.Contains(a.URL, standby.Address) {
			return fmt.Errorf("nobody took over: %+v", a)
		}
		status, _, err := get(ctx, a.URL)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("the new leader gives %d (%w)", status, err)
		}
		return nil
	})
}
