// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"io"
	"net/url"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// defaultTimeout is the schema's default, for objects that never passed it.
const defaultTimeout = 60 * time.Second

// remotes is what the adapter needs of Git.
type remotes interface {
	List(ctx context.Context, remote gitremote.Remote, prefixes []string) ([]reference.Ref, error)
	Checkout(ctx context.Context, remote gitremote.Remote, choice reference.Choice, deadline time.Time) (*gitremote.Tree, error)
	Submodules(ctx context.Context, remote gitremote.Remote, tree *gitremote.Tree, deadline time.Time) ([]gitremote.Submodule, error)
}

// artifacts is what the adapter needs of the store: what others have stored.
type artifacts interface {
	Read(artifact meta.Artifact, now time.Time) (io.ReadCloser, error)
}

// gitKind adapts GitRepository to the pipeline.
type gitKind struct {
	access    *gitaccess.Access
	secrets   client.Reader // Secrets, never cached
	objects   client.Reader // other sources
	remotes   remotes
	artifacts artifacts
	maxBytes  int64
	maxFiles  int
	// donors opens what is stored, for what a new artifact takes over from it.
	donors  func(*meta.Artifact) (*archive.Donor, func())
	flux    bool          // artifacts have Flux's compressed bytes
	waiting time.Duration // for an include
	now     func() time.Time
}

func (k *gitKind) name() string { return sourcev1.GitRepositoryKind }

func (k *gitKind) empty() *sourcev1.GitRepository { return &sourcev1.GitRepository{} }

func (k *gitKind) suspended(obj *sourcev1.GitRepository) bool { return obj.Spec.Suspend }

func (k *gitKind) words() words { return words{upToDate: sourcev1.GitOperationSucceedReason} }

func (k *gitKind) fields(obj *sourcev1.GitRepository) fields {
	return fields{
		artifact:           &obj.Status.Artifact,
		observedGeneration: &obj.Status.ObservedGeneration,
		requests:           &obj.Status.ReconcileRequestStatus,
	}
}

// resolve lists the remote's references and chooses. A pinned commit that is
// stored needs no look: nothing at the remote can change what it names.
func (k *gitKind) resolve(ctx context.Context, obj *sourcev1.GitRepository) (target, *status.Failure) {
	address, failure := offered(obj)
	if failure != nil {
		return target{}, failure
	}
	wish, err := reference.Parse(obj.Spec.Reference)
	if err != nil {
		return target{}, gitFailure(err)
	}
	remote, refused := k.access.Remote(ctx, obj, address)
	if refused != nil {
		return target{}, fetchFailure(refused)
	}
	included, failure := k.included(ctx, obj)
	if failure != nil {
		return target{}, failure
	}
	t := target{
		rebuild:  contentChanged(obj, included),
		included: includesDiffer(obj.Status.IncludedArtifacts, included),
		verify:   verificationAsked(obj),
	}
	if pin, pinned := wish.Pin(); pinned && !t.rebuild && obj.Status.ObservedGeneration == obj.Generation && obj.GetArtifact().HasRevision(pin.String()) {
		t.revision = pin.String()
		return t, nil
	}
	look := gitLook{kind: k, obj: obj, remote: remote, included: included, deadline: k.now().Add(timeout(obj))}
	choice, err := look.choose(ctx, wish)
	if err != nil {
		return target{}, gitFailure(err)
	}
	t.revision = choice.Revision(choice.Commit).String()
	t.fetch = func(ctx context.Context) (content, *status.Failure) {
		return look.fetch(ctx, choice)
	}
	return t, nil
}

// included gives the artifacts of the sources that an object includes, in the
// order of the spec. One that is not there yet is waited for: its own failure is
// its own news.
func (k *gitKind) included(ctx context.Context, obj *sourcev1.GitRepository) ([]*meta.Artifact, *status.Failure) {
	var artifacts []*meta.Artifact
	for _, include := range obj.Spec.Include {
		name := include.GitRepositoryRef.Name
		var other sourcev1.GitRepository
		if err := k.objects.Get(ctx, types.NamespacedName{Namespace: obj.Namespace, Name: name}, &other); err != nil {
			return nil, includeUnavailable(halt.Waitf("NotFound", k.waiting, "could not get resource for include '%s': %w", name, err))
		}
		artifact := other.GetArtifact()
		if artifact == nil {
			return nil, includeUnavailable(halt.Waitf("NoArtifact", k.waiting, "no artifact available for include '%s'", name))
		}
		artifacts = append(artifacts, artifact.DeepCopy())
	}
	return artifacts, nil
}

func includeUnavailable(h *halt.Error) *status.Failure {
	return &status.Failure{Condition: sourcev1.IncludeUnavailableCondition, Halt: h}
}

// includesDiffer tells whether other content is included than was, also under
// the same revision.
func includesDiffer(before, now []*meta.Artifact) bool {
	if len(before) != len(now) {
		return true
	}
	for i := range now {
		if !before[i].HasRevision(now[i].Revision) || !before[i].HasDigest(now[i].Digest) {
			return true
		}
	}
	return false
}

// offered gives the address of spec.url, if it is one that is served. No message
// quotes it: it may hold a password in any place where a parser stumbles.
func offered(obj *sourcev1.GitRepository) (*url.URL, *status.Failure) {
	parsed, err := url.Parse(obj.Spec.URL)
	if err != nil || parsed.Host == "" {
		return nil, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "failed to parse spec.url: it has not the form https://host/path"))
	}
	switch parsed.Scheme {
	case "http", "https", "ssh":
		return parsed, nil
	default:
		return nil, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "spec.url has the scheme %q; http, https and ssh are served", parsed.Scheme))
	}
}

var _ kind[*sourcev1.GitRepository] = &gitKind{}
