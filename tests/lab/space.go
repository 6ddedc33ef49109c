// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// Names that every Space has.
const (
	Observer = "observer"
	Source   = "repo"
)

//go:embed observer.yaml
var observerYAML string

// Space is the namespace of one test: a repository, its source, and an account
// that observes.
type Space struct {
	*Lab
	Namespace string
	URL       string // of the repository
	Commit    string // that was made last

	repository string
	named      bool // the namespace has a name that a reader knows
	cleanup    func(func())
}

// Space makes the place of one test. Without a name the namespace gets one of
// its own; with one it must be nobody else's.
func (l *Lab) Space(t testing.TB, namespace string) *Space {
	t.Helper()
	s := &Space{Lab: l, Namespace: namespace, named: namespace != "", cleanup: t.Cleanup}
	if !s.named {
		s.Namespace = cluster.Namespace(t, l.Cluster)
	} else if err := s.makeNamespace(t.Context()); err != nil {
		t.Fatal(err)
	}
	objects, err := Decode([]byte(strings.ReplaceAll(observerYAML, "${NS}", s.Namespace)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), "platform-engineer", objects); err != nil {
		t.Fatal(err)
	}
	repository, err := l.git.Create(t.Context(), s.Namespace+".git")
	if err != nil {
		t.Fatal(err)
	}
	s.URL, s.repository = repository.URL, filepath.Join(l.gitDir(), repository.Name)
	source := &sourcev1.GitRepository{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: Source},
		Spec: sourcev1.GitRepositorySpec{
			URL: repository.URL, Reference: &sourcev1.GitRepositoryRef{Branch: "main"}, Interval: metav1.Duration{Duration: time.Minute},
		},
	}
	if err := l.Client.Create(t.Context(), source); err != nil {
		t.Fatalf("making the source: %v", err)
	}
	return s
}

func (s *Space) makeNamespace(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}}
	if err := s.Client.Create(ctx, namespace); err != nil {
		return fmt.Errorf("making namespace %s: %w", s.Namespace, err)
	}
	s.cleanup(func() { s.remove(namespace) })
	account := &corev1.ServiceAccount{}
	return Poll(ctx, func(ctx context.Context) error {
		return s.Client.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: "default"}, account)
	})
}

// remove deletes what a test leaves behind; the test's own context has ended.
func (s *Space) remove(o client.Object) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Client.Delete(ctx, o); err != nil && !apierrors.IsNotFound(err) {
		fmt.Fprintf(os.Stderr, "%s %s is left behind: %v\n", o.GetObjectKind().GroupVersionKind().Kind, o.GetName(), err)
	}
}

// Push makes the branch hold exactly the files of a folder, links and all, and
// asks the source to look.
func (s *Space) Push(ctx context.Context, message, folder string) error {
	if _, err := s.gitCommand(ctx, folder, "add", "--all", "--force", "."); err != nil {
		return err
	}
	if _, err := s.gitCommand(ctx, folder, "commit", "--quiet", "--allow-empty", "--message", message); err != nil {
		return err
	}
	commit, err := s.gitCommand(ctx, folder, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	s.Commit = strings.TrimSpace(commit)
	return s.AskSource(ctx)
}

// AskSource asks for a fetch now, as people do with the Flux CLI.
func (s *Space) AskSource(ctx context.Context) error {
	source := &sourcev1.GitRepository{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: Source}}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, contract.RequestedAtAnnotation, time.Now().Format(time.RFC3339Nano))
	if err := s.Client.Patch(ctx, source, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		return fmt.Errorf("asking source %s to fetch: %w", Source, err)
	}
	return nil
}

func (s *Space) gitCommand(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", s.repository, "--work-tree", folder}, args...)...)
	cmd.Dir = folder
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.repository, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Anna Example", "GIT_AUTHOR_EMAIL=anna@example.com",
		"GIT_COMMITTER_NAME=Anna Example", "GIT_COMMITTER_EMAIL=anna@example.com",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
