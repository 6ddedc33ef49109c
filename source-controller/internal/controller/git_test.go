// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// secretReader answers for the Secrets of one namespace.
type secretReader map[string]map[string]string

func (s secretReader) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	data, found := s[key.Name]
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, key.Name)
	}
	secret := obj.(*corev1.Secret)
	secret.Data = map[string][]byte{}
	for name, value := range data {
		secret.Data[name] = []byte(value)
	}
	return nil
}

func (s secretReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nothing lists Secrets")
}

func gitForTest(t testing.TB, secrets secretReader) *gitKind {
	t.Helper()
	mirrors, err := gitremote.Open(t.Context(), gitremote.Config{Root: filepath.Join(t.TempDir(), "git"), Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mirrors.Close() })
	nothingStored := func(*meta.Artifact) (*archive.Donor, func()) { return nil, func() {} }
	return &gitKind{access: &gitaccess.Access{Reader: secrets}, secrets: secrets, remotes: mirrors, donors: nothingStored, now: time.Now}
}

func source(url string, change func(*sourcev1.GitRepository)) *sourcev1.GitRepository {
	obj := &sourcev1.GitRepository{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "prod", Generation: 1}}
	obj.Spec.URL = url
	obj.Spec.Timeout = &metav1.Duration{Duration: 30 * time.Second}
	if change != nil {
		change(obj)
	}
	return obj
}

func TestResolveRevisions(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	first := repository.Commit(t, "first", map[string]string{"a": "1"})
	repository.Git(t, "tag", "v1.0.0+one")
	repository.Git(t, "tag", "-a", "-m", "annotated", "annotated")
	second := repository.Commit(t, "second", map[string]string{"a": "2"})
	repository.Git(t, "tag", "v1.0.0+a-later-build")
	for _, ref := range []string{"refs/heads/master", "refs/heads/feature/x", "refs/pull/7/head"} {
		repository.Push(t, "HEAD", ref)
	}
	repository.Git(t, "push", "--quiet", "--tags", repository.Path)
	// The tag of the later build points to the later commit, whatever its name.
	git := gitForTest(t, nil)

	tests := map[string]struct {
		reason string
		ref    *sourcev1.GitRepositoryRef
		want   string
	}{
		"default":     {"master", nil, "master@sha1:" + second},
		"branch":      {"with a slash", &sourcev1.GitRepositoryRef{Branch: "feature/x"}, "feature/x@sha1:" + second},
		"tag":         {"the commit behind it", &sourcev1.GitRepositoryRef{Tag: "annotated"}, "annotated@sha1:" + first},
		"semver, tie": {"commit times decide between equal versions", &sourcev1.GitRepositoryRef{SemVer: "1.x"}, "v1.0.0+a-later-build@sha1:" + second},
		"name":        {"a pull request", &sourcev1.GitRepositoryRef{Name: "refs/pull/7/head"}, "refs/pull/7/head@sha1:" + second},
		"pin":         {"behind the tips", &sourcev1.GitRepositoryRef{Commit: first}, "sha1:" + first},
		"pin, branch": {"in a branch", &sourcev1.GitRepositoryRef{Commit: first, Branch: "master"}, "master@sha1:" + first},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := source(server.URL+"/r.git", func(o *sourcev1.GitRepository) { o.Spec.Reference = tc.ref })
			target, failure := git.resolve(t.Context(), obj)
			if failure != nil {
				t.Fatalf("%s: %v", tc.reason, failure.Halt)
			}
			if target.revision != tc.want {
				t.Fatalf("%s: got %s, want %s", tc.reason, target.revision, tc.want)
			}
			got, failure := target.fetch(t.Context())
			if failure != nil {
				t.Fatalf("%s: %v", tc.reason, failure.Halt)
			}
			defer got.close()
			hash := tc.want[strings.LastIndex(tc.want, ":")+1:]
			if got.revision != tc.want || got.file != hash+".tar.gz" {
				t.Errorf("%s: fetched %s into %s", tc.reason, got.revision, got.file)
			}
			var packed bytes.Buffer
			if err := got.write(&packed); err != nil || packed.Len() == 0 {
				t.Errorf("%s: packed %d bytes, %v", tc.reason, packed.Len(), err)
			}
		})
	}
}

func TestResolveFailures(t *testing.T) {
	const password = "s3cr3t-p4ss"
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	server.Create(t, "empty.git")
	server.RequireBasic("robot", password)
	git := gitForTest(t, secretReader{
		"good":   {"username": "robot", "password": password},
		"wrong":  {"username": "robot", "password": "wr0ng-p4ss"},
		"half":   {"password": password},
		"github": {"githubAppID": "1"},
	})
	secret := func(name string) func(*sourcev1.GitRepository) {
		return func(o *sourcev1.GitRepository) { o.Spec.SecretRef = &meta.LocalObjectReference{Name: name} }
	}
	tests := map[string]struct {
		reason    string
		path      string
		change    func(*sourcev1.GitRepository)
		kind      halt.Kind
		condition string
		want      string
	}{
		"no secret":     {"the Secret may still come", "/r.git", secret("none"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"half a secret": {"keys do not fit together", "/r.git", secret("half"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"GitHub App":    {"needs its provider", "/r.git", secret("github"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.InvalidProviderConfigurationReason},
		"wrong":         {"the remote refuses", "/r.git", secret("wrong"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"anonymous":     {"the remote wants a name", "/r.git", nil, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"empty":         {"has a reason of its own", "/empty.git", secret("good"), halt.Retry, sourcev1.FetchFailedCondition, status.EmptyGitRepositoryReason},
		"no branch":     {"a push helps", "/r.git", secret("good"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"no repository": {"somebody may create it", "/none.git", secret("good"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"bad reference": {"never reaches git", "/r.git", func(o *sourcev1.GitRepository) {
			o.Spec.Reference = &sourcev1.GitRepositoryRef{Branch: "--upload-pack=x"}
		}, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"gate off": {"only another spec helps", "/r.git", func(o *sourcev1.GitRepository) { o.Spec.Provider, o.Spec.ServiceAccountName = "azure", "x" }, halt.Stalled, sourcev1.FetchFailedCondition, meta.FeatureGateDisabledReason},
		"ssh":      {"needs a key", "", func(o *sourcev1.GitRepository) { o.Spec.URL = "ssh://git@host/r" }, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"file":     {"would read the controller's disk", "", func(o *sourcev1.GitRepository) { o.Spec.URL = "file:///etc" }, halt.Stalled, sourcev1.FetchFailedCondition, sourcev1.URLInvalidReason},
		"no host":  {"no address", "", func(o *sourcev1.GitRepository) { o.Spec.URL = "https://" }, halt.Stalled, sourcev1.FetchFailedCondition, sourcev1.URLInvalidReason},
		"no url":   {"a password where a port should be", "", func(o *sourcev1.GitRepository) { o.Spec.URL = "https://robot:" + password + "/x@host" }, halt.Stalled, sourcev1.FetchFailedCondition, sourcev1.URLInvalidReason},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, failure := git.resolve(t.Context(), source(server.URL+tc.path, tc.change))
			if failure == nil {
				t.Fatalf("%s: no failure", tc.reason)
			}
			if failure.Halt.Kind != tc.kind || failure.Condition != tc.condition || failure.Halt.Reason != tc.want {
				t.Errorf("%s: got %s %q %s (%v)", tc.reason, failure.Halt.Kind, failure.Condition, failure.Halt.Reason, failure.Halt)
			}
			for _, value := range []string{password, "wr0ng-p4ss", "robot:"} {
				if strings.Contains(failure.Halt.Error(), value) {
					t.Errorf("the message carries a value: %v", failure.Halt)
				}
			}
		})
	}
}

func TestPinsNeedNoNetwork(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	commit := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	server.Before(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return false
	})
	git := gitForTest(t, nil)
	pinned := func(o *sourcev1.GitRepository) {
		o.Spec.Reference = &sourcev1.GitRepositoryRef{Commit: commit}
		o.Status.ObservedGeneration = o.Generation
		o.Status.Artifact = &meta.Artifact{Revision: "sha1:" + commit}
	}
	target, failure := git.resolve(t.Context(), source(server.URL+"/r.git", pinned))
	if failure != nil || target.rebuild || target.revision != "sha1:"+commit {
		t.Errorf("a pin that is stored was asked for again: %+v, %v", target, failure)
	}
	for name, change := range map[string]func(*sourcev1.GitRepository){
		"new generation": func(o *sourcev1.GitRepository) { o.Generation++ },
		"new ignore":     func(o *sourcev1.GitRepository) { o.Spec.Ignore = &commit },
		"not stored":     func(o *sourcev1.GitRepository) { o.Status.Artifact = nil },
	} {
		obj := source(server.URL+"/r.git", pinned)
		change(obj)
		if _, failure := git.resolve(t.Context(), obj); failure == nil {
			t.Errorf("%s: the remote was not asked", name)
		}
	}
}

func TestContentChanged(t *testing.T) {
	text, other := "a", "b"
	tests := map[string]struct {
		reason string
		change func(*sourcev1.GitRepository)
		want   bool
	}{
		"nothing":     {"same", nil, false},
		"ignore set":  {"packs other files", func(o *sourcev1.GitRepository) { o.Spec.Ignore = &text }, true},
		"ignore same": {"the text counts, not the pointer", func(o *sourcev1.GitRepository) { same := "a"; o.Spec.Ignore, o.Status.ObservedIgnore = &text, &same }, false},
		"ignore new":  {"other text", func(o *sourcev1.GitRepository) { o.Spec.Ignore, o.Status.ObservedIgnore = &text, &other }, true},
		"ignore gone": {"the defaults apply again", func(o *sourcev1.GitRepository) { o.Status.ObservedIgnore = &text }, true},
		"taken over":  {"another controller packed submodules", func(o *sourcev1.GitRepository) { o.Status.ObservedRecurseSubmodules = true }, true},
		"included":    {"another controller included something", func(o *sourcev1.GitRepository) { o.Status.IncludedArtifacts = []*meta.Artifact{{}} }, true},
		"sparse":      {"another controller left folders out", func(o *sourcev1.GitRepository) { o.Status.ObservedSparseCheckout = []string{"a"} }, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := contentChanged(source("https://host/r", tc.change), nil); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
}

func TestPackFailure(t *testing.T) {
	tests := map[string]struct {
		reason    string
		err       error
		condition string
		want      string
	}{
		"hostile":   {"the remote's fault", archive.ErrHostile, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"ignore":    {"the repository's file", archive.ErrIgnoreFile, sourcev1.StorageOperationFailedCondition, status.SourceIgnoreErrorReason},
		"too large": {"not stored", archive.ErrTooLarge, sourcev1.StorageOperationFailedCondition, sourcev1.ArchiveOperationFailedReason},
		"disk":      {"our own", os.ErrPermission, sourcev1.StorageOperationFailedCondition, sourcev1.ArchiveOperationFailedReason},
		"mirror":    {"cannot be read", &gitremote.Error{Fault: gitremote.Broken}, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := packFailure(tc.err)
			if got.Condition != tc.condition || got.Halt.Reason != tc.want || !errors.Is(got.Halt, tc.err) {
				t.Errorf("%s: got %s %s (%v)", tc.reason, got.Condition, got.Halt.Reason, got.Halt)
			}
		})
	}
}
