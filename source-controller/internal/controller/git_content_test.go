// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitverify"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// sourceReader answers for GitRepositories of one namespace.
type sourceReader map[string]*meta.Artifact

func (s sourceReader) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	artifact, found := s[key.Name]
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "gitrepositories"}, key.Name)
	}
	obj.(*sourcev1.GitRepository).Status.Artifact = artifact
	return nil
}

func (s sourceReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nothing lists sources")
}

// shelf holds artifacts by revision.
type shelf map[string][]byte

func (s shelf) Read(artifact meta.Artifact, _ time.Time) (io.ReadCloser, error) {
	packed, found := s[artifact.Revision]
	if !found {
		return nil, errors.New("gone")
	}
	return io.NopCloser(bytes.NewReader(packed)), nil
}

// pack resolves, fetches and packs, and gives what a consumer would unpack.
func pack(t *testing.T, git *gitKind, obj *sourcev1.GitRepository) ([]byte, status.Verification, *status.Failure) {
	t.Helper()
	target, failure := git.resolve(t.Context(), obj)
	if failure != nil {
		return nil, status.Verification{}, failure
	}
	got, failure := target.fetch(t.Context())
	if failure != nil {
		return nil, status.Verification{}, failure
	}
	defer got.close()
	var packed bytes.Buffer
	if err := got.write(&packed); err != nil {
		return nil, got.verification, got.failure(err)
	}
	got.record()
	return packed.Bytes(), got.verification, nil
}

func ref(name string) *meta.LocalObjectReference { return &meta.LocalObjectReference{Name: name} }

func unpacked(t *testing.T, packed []byte) map[string]string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for tarball := tar.NewReader(unzipped); ; {
		header, err := tarball.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tarball)
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			files[header.Name] = string(content)
		}
	}
}

func TestVerification(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	pgp, key, stranger := gittest.PGP(t), gittest.SSHKey(t), gittest.PGP(t)
	repository.Commit(t, "unsigned", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/unsigned")
	repository.Git(t, "tag", "light")
	repository.Commit(t, "pgp", map[string]string{"a": "2"})
	repository.SignHead(t, pgp)
	repository.Push(t, "HEAD", "refs/heads/pgp")
	repository.SignTag(t, key, "v1.0.0", "v1.0.0")
	repository.SignTag(t, key, "v9.9.9", "v1.0.0")
	repository.Commit(t, "ssh", map[string]string{"a": "3"})
	repository.SignHead(t, key)
	repository.Push(t, "HEAD", "refs/heads/ssh")
	repository.Git(t, "push", "--quiet", "--tags", repository.Path)
	git := gitForTest(t, secretReader{
		"keys":     {"a.asc": string(pgp.Public), "b.sshpub": string(key.Public)},
		"stranger": {"a.asc": string(stranger.Public)},
	})
	tests := map[string]struct {
		reason string
		ref    sourcev1.GitRepositoryRef
		mode   sourcev1.GitVerificationMode
		secret string
		kind   halt.Kind
		want   string
	}{
		"pgp":          {"a commit", sourcev1.GitRepositoryRef{Branch: "pgp"}, sourcev1.ModeGitHEAD, "keys", "", ""},
		"ssh":          {"a commit", sourcev1.GitRepositoryRef{Branch: "ssh"}, "head", "keys", "", ""},
		"tag":          {"by a range", sourcev1.GitRepositoryRef{SemVer: "1.x"}, sourcev1.ModeGitTag, "keys", "", ""},
		"tag, by name": {"a full reference", sourcev1.GitRepositoryRef{Name: "refs/tags/v1.0.0"}, sourcev1.ModeGitTagAndHEAD, "keys", "", ""},
		"unsigned":     {"nobody vouches", sourcev1.GitRepositoryRef{Branch: "unsigned"}, sourcev1.ModeGitHEAD, "keys", halt.Retry, gitverify.InvalidCommit},
		"stranger":     {"not trusted", sourcev1.GitRepositoryRef{Branch: "pgp"}, sourcev1.ModeGitHEAD, "stranger", halt.Retry, gitverify.InvalidCommit},
		"light":        {"only a name", sourcev1.GitRepositoryRef{Tag: "light"}, sourcev1.ModeGitTag, "keys", halt.Retry, gitverify.InvalidObject},
		"renamed":      {"an old release as the newest", sourcev1.GitRepositoryRef{SemVer: ">=1.0.0"}, sourcev1.ModeGitTag, "keys", halt.Retry, gitverify.InvalidTag},
		"branch, tag":  {"no push mends it", sourcev1.GitRepositoryRef{Branch: "pgp"}, sourcev1.ModeGitTag, "keys", halt.Stalled, gitverify.InvalidMode},
		"no such keys": {"they may still come", sourcev1.GitRepositoryRef{Branch: "pgp"}, sourcev1.ModeGitHEAD, "none", halt.Retry, status.VerificationErrorReason},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := source(server.URL+"/r.git", func(o *sourcev1.GitRepository) {
				o.Spec.Reference = &tc.ref
				o.Spec.Verification = &sourcev1.GitRepositoryVerification{Mode: tc.mode, SecretRef: meta.LocalObjectReference{Name: tc.secret}}
			})
			_, verification, failure := pack(t, git, obj)
			if tc.want == "" {
				if failure != nil || verification.Message == "" || obj.Status.SourceVerificationMode == nil {
					t.Fatalf("%s: %+v, %v", tc.reason, verification, failure)
				}
				return
			}
			if failure == nil || failure.Halt.Reason != tc.want || failure.Halt.Kind != tc.kind || failure.Condition != sourcev1.SourceVerifiedCondition {
				t.Errorf("%s: got %+v", tc.reason, failure)
			}
		})
	}
}

func TestContent(t *testing.T) {
	server := gittest.Serve(t)
	library := server.Create(t, "library.git")
	commit := library.Commit(t, "library", map[string]string{"lib/x": "library", "README.md": "r"})
	library.Push(t, "HEAD", "refs/heads/main")
	repository := server.Create(t, "r.git")
	repository.Commit(t, "app", map[string]string{"app/a": "1", "apps/b": "2", "other": "3"})
	repository.Git(t, "update-index", "--add", "--cacheinfo", "160000,"+commit+",app/vendor")
	repository.Git(t, "config", "--file", ".gitmodules", "submodule.v.path", "app/vendor")
	repository.Git(t, "config", "--file", ".gitmodules", "submodule.v.url", "../library.git")
	repository.Git(t, "add", ".gitmodules")
	repository.Git(t, "commit", "--quiet", "-m", "with a submodule")
	repository.Push(t, "HEAD", "refs/heads/main")

	git := gitForTest(t, nil)
	main := &sourcev1.GitRepositoryRef{Branch: "main"}
	packed, _, failure := pack(t, git, source(server.URL+"/library.git", func(o *sourcev1.GitRepository) { o.Spec.Reference = main }))
	if failure != nil {
		t.Fatal(failure.Halt)
	}
	git.artifacts = shelf{"main@sha1:1": packed}
	git.objects = sourceReader{"library": {Revision: "main@sha1:1", Digest: "sha256:1"}, "lost": {Revision: "main@sha1:2"}, "young": nil}
	git.waiting = 30 * time.Second
	include := func(name, from, to string) []sourcev1.GitRepositoryInclude {
		return []sourcev1.GitRepositoryInclude{{GitRepositoryRef: meta.LocalObjectReference{Name: name}, FromPath: from, ToPath: to}}
	}
	whole := map[string]string{"app/a": "1", "apps/b": "2", "other": "3"}
	with := func(more map[string]string) map[string]string {
		files := map[string]string{}
		for _, m := range []map[string]string{whole, more} {
			for path, content := range m {
				files[path] = content
			}
		}
		return files
	}
	tests := map[string]struct {
		reason    string
		change    func(*sourcev1.GitRepository)
		want      map[string]string
		condition string
		halt      string
	}{
		"plain":      {"the submodule is an empty folder", nil, whole, "", ""},
		"submodules": {"at the recorded commit", func(o *sourcev1.GitRepository) { o.Spec.RecurseSubmodules = true }, with(map[string]string{"app/vendor/lib/x": "library", "app/vendor/README.md": "r", "app/vendor/.git": "gitdir: ../../.git/modules/v\n"}), "", ""},
		"sparse":     {"paths that begin so", func(o *sourcev1.GitRepository) { o.Spec.SparseCheckout = []string{"./app"} }, map[string]string{"app/a": "1", "apps/b": "2"}, "", ""},
		"no path":    {"another artifact than was asked for", func(o *sourcev1.GitRepository) { o.Spec.SparseCheckout = []string{"none"} }, nil, sourcev1.FetchFailedCondition, sourcev1.GitOperationFailedReason},
		"include":    {"under its name", func(o *sourcev1.GitRepository) { o.Spec.Include = include("library", "", "") }, with(map[string]string{"library/lib/x": "library", "library/README.md": "r"}), "", ""},
		"part of it": {"to a place", func(o *sourcev1.GitRepository) { o.Spec.Include = include("library", "lib", "app/lib") }, with(map[string]string{"app/lib/x": "library"}), "", ""},
		"ignored": {"patterns hold for what is included", func(o *sourcev1.GitRepository) {
			o.Spec.Include = include("library", "", "")
			all := "*.md\n"
			o.Spec.Ignore = &all
		}, with(map[string]string{"library/lib/x": "library"}), "", ""},
		"not there": {"it may come", func(o *sourcev1.GitRepository) { o.Spec.Include = include("none", "", "") }, nil, sourcev1.IncludeUnavailableCondition, "NotFound"},
		"not ready": {"it has nothing yet", func(o *sourcev1.GitRepository) { o.Spec.Include = include("young", "", "") }, nil, sourcev1.IncludeUnavailableCondition, "NoArtifact"},
		"lost":      {"its bytes are gone", func(o *sourcev1.GitRepository) { o.Spec.Include = include("lost", "", "") }, nil, sourcev1.IncludeUnavailableCondition, "NoArtifact"},
		"nothing":   {"no such folder in it", func(o *sourcev1.GitRepository) { o.Spec.Include = include("library", "none", "") }, nil, sourcev1.StorageOperationFailedCondition, "CopyFailure"},
		"occupied":  {"files are there", func(o *sourcev1.GitRepository) { o.Spec.Include = include("library", "", "apps") }, nil, sourcev1.StorageOperationFailedCondition, "CopyFailure"},
		".git":      {"no repository is planted", func(o *sourcev1.GitRepository) { o.Spec.Include = include("library", "", ".git/hooks") }, nil, sourcev1.StorageOperationFailedCondition, "IllegalPath"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := source(server.URL+"/r.git", func(o *sourcev1.GitRepository) { o.Spec.Reference = main })
			if tc.change != nil {
				tc.change(obj)
			}
			packed, _, failure := pack(t, git, obj)
			if tc.halt != "" {
				if failure == nil || failure.Condition != tc.condition || failure.Halt.Reason != tc.halt {
					t.Fatalf("%s: got %+v", tc.reason, failure)
				}
				return
			}
			if failure != nil {
				t.Fatalf("%s: %v", tc.reason, failure.Halt)
			}
			if diff := cmp.Diff(tc.want, unpacked(t, packed)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if contentChanged(obj, obj.Status.IncludedArtifacts) {
				t.Errorf("%s: what was recorded differs from what was asked for: %+v", tc.reason, obj.Status)
			}
		})
	}
}
