// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// defaultTimeout is the schema's default, for objects that never passed it.
const defaultTimeout = 60 * time.Second

// remotes is what the adapter needs of Git.
type remotes interface {
	List(ctx context.Context, remote gitremote.Remote, scope reference.Scope) ([]reference.Ref, error)
	Checkout(ctx context.Context, remote gitremote.Remote, choice reference.Choice, deadline time.Time) (*gitremote.Tree, error)
}

// gitKind adapts GitRepository to the pipeline.
type gitKind struct {
	secrets  client.Reader
	remotes  remotes
	maxBytes int64
	// donors opens what is stored, for what a new artifact takes over from it.
	donors func(*meta.Artifact) (*archive.Donor, func())
	flux   bool // artifacts have Flux's compressed bytes
	now    func() time.Time
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
	rebuild := contentChanged(obj)
	if pin, pinned := wish.Pin(); pinned && !rebuild && obj.Status.ObservedGeneration == obj.Generation && obj.GetArtifact().HasRevision(pin.String()) {
		return target{revision: pin.String()}, nil
	}
	remote, failure := k.remote(ctx, obj, address)
	if failure != nil {
		return target{}, failure
	}
	look := gitLook{kind: k, obj: obj, remote: remote, deadline: k.now().Add(timeout(obj))}
	choice, err := look.choose(ctx, wish)
	if err != nil {
		return target{}, gitFailure(err)
	}
	return target{
		revision: choice.Revision(choice.Commit).String(),
		rebuild:  rebuild,
		fetch: func(ctx context.Context) (content, *status.Failure) {
			return look.fetch(ctx, choice)
		},
	}, nil
}

// remote joins the address with the credentials that the object names. The
// Secret is read anew each time: a rotated password works at the next pass.
func (k *gitKind) remote(ctx context.Context, obj *sourcev1.GitRepository, address *url.URL) (gitremote.Remote, *status.Failure) {
	var data map[string][]byte
	if ref := obj.Spec.SecretRef; ref != nil {
		var secret corev1.Secret
		key := types.NamespacedName{Namespace: obj.Namespace, Name: ref.Name}
		if err := k.secrets.Get(ctx, key, &secret); err != nil {
			return gitremote.Remote{}, fetchFailure(halt.Retryf(sourcev1.AuthenticationFailedReason, "failed to get secret '%s': %w", key, err))
		}
		data = secret.Data
	}
	auth, err := credentials.New(address, data)
	if errors.Is(err, credentials.ErrGitHubApp) {
		return gitremote.Remote{}, fetchFailure(halt.Retryf(sourcev1.InvalidProviderConfigurationReason, "secretRef '%s/%s': %w", obj.Namespace, obj.Spec.SecretRef.Name, err))
	}
	if err != nil {
		return gitremote.Remote{}, fetchFailure(halt.Retryf(sourcev1.AuthenticationFailedReason, "failed to configure authentication options: %w", err))
	}
	return gitremote.Remote{Address: credentials.WithoutUser(address), Auth: auth}, nil
}

// gitLook is one look at one remote, within one deadline.
type gitLook struct {
	kind     *gitKind
	obj      *sourcev1.GitRepository
	remote   gitremote.Remote
	deadline time.Time
}

func (l *gitLook) choose(ctx context.Context, wish reference.Wish) (reference.Choice, error) {
	listing, cancel := context.WithDeadline(ctx, l.deadline)
	defer cancel()
	refs, err := l.kind.remotes.List(listing, l.remote, wish.Scope())
	if err != nil {
		return reference.Choice{}, err
	}
	choices, err := wish.Choose(refs)
	if err != nil {
		return reference.Choice{}, err
	}
	if len(choices) == 1 {
		return choices[0], nil
	}
	// Versions that differ only in build metadata: the commits have to be seen.
	committed := map[string]time.Time{}
	for _, choice := range choices {
		tree, err := l.kind.remotes.Checkout(ctx, l.remote, choice, l.deadline)
		if err != nil {
			return reference.Choice{}, err
		}
		committed[choice.Commit] = tree.Commit().Committed
		tree.Close()
	}
	return reference.Latest(choices, committed), nil
}

func (l *gitLook) fetch(ctx context.Context, choice reference.Choice) (content, *status.Failure) {
	tree, err := l.kind.remotes.Checkout(ctx, l.remote, choice, l.deadline)
	if err != nil {
		return content{}, gitFailure(err)
	}
	commit := tree.Commit()
	return content{
		revision: choice.Revision(commit.Hash).String(),
		file:     commit.Hash + ".tar.gz",
		title:    fmt.Sprintf("stored artifact for commit '%s'", commit.Subject),
		write: func(w io.Writer) error {
			earlier, release := l.kind.donors(l.obj.GetArtifact())
			defer release()
			report, err := archive.Write(w, tree, archive.Options{Ignore: l.obj.Spec.Ignore, MaxBytes: l.kind.maxBytes, Donor: earlier, Flux: l.kind.flux})
			if err == nil {
				ctrl.LoggerFrom(ctx).Info("packed a commit", "commit", commit.Hash, "because", choice.Reason,
					"files", report.Files, "bytes", report.Bytes, "ignored", report.Ignored, "symlinksLeftOut", report.Links, "copied", report.Reused)
			}
			return err
		},
		failure: packFailure,
		record:  func() { recordContent(l.obj) },
		close:   tree.Close,
	}, nil
}

// recordContent notes what the artifact was made of; the next pass compares with it.
func recordContent(obj *sourcev1.GitRepository) {
	obj.Status.IncludedArtifacts = nil
	obj.Status.ObservedIgnore = obj.Spec.Ignore
	obj.Status.ObservedRecurseSubmodules = obj.Spec.RecurseSubmodules
	obj.Status.ObservedInclude = obj.Spec.Include
	obj.Status.ObservedSparseCheckout = obj.Spec.SparseCheckout
	obj.Status.SourceVerificationMode = nil
}

// contentChanged tells whether other content of a revision is asked for than was
// stored, also by another controller that served this object before.
func contentChanged(obj *sourcev1.GitRepository) bool {
	before, asked := obj.Status, obj.Spec
	return !equalText(asked.Ignore, before.ObservedIgnore) ||
		asked.RecurseSubmodules != before.ObservedRecurseSubmodules ||
		len(asked.Include) != len(before.ObservedInclude) || len(before.IncludedArtifacts) != len(asked.Include) ||
		len(asked.SparseCheckout) != len(before.ObservedSparseCheckout)
}

func equalText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func timeout(obj *sourcev1.GitRepository) time.Duration {
	if obj.Spec.Timeout == nil || obj.Spec.Timeout.Duration <= 0 {
		return defaultTimeout
	}
	return obj.Spec.Timeout.Duration
}

// gitFailure is a remote that cannot be read, or has not what is asked for. It
// is tried again: a push or a network that comes back mends it.
func gitFailure(err error) *status.Failure {
	if errors.Is(err, reference.ErrEmpty) {
		return fetchFailure(halt.Retryf(status.EmptyGitRepositoryReason, "%w", err))
	}
	return fetchFailure(halt.Retryf(sourcev1.GitOperationFailedReason, "failed to checkout and determine revision: %w", err))
}

// packFailure tells a repository that must not be packed from a disk that
// cannot be written.
func packFailure(err error) *status.Failure {
	switch {
	case errors.Is(err, archive.ErrHostile), gitremote.FaultOf(err) != "":
		return gitFailure(err)
	case errors.Is(err, archive.ErrIgnoreFile):
		return storageFailure(status.SourceIgnoreErrorReason, fmt.Errorf("failed to load source ignore patterns from repository: %w", err))
	default:
		return storageFailure(sourcev1.ArchiveOperationFailedReason, fmt.Errorf("unable to archive artifact to storage: %w", err))
	}
}

var _ kind[*sourcev1.GitRepository] = &gitKind{}
