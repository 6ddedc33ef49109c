// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/assembly"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitverify"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// gitLook is one look at one remote, within one deadline.
type gitLook struct {
	kind     *gitKind
	obj      *sourcev1.GitRepository
	remote   gitremote.Remote
	included []*meta.Artifact
	deadline time.Time
}

// choose asks for as little as the wish needs. Where that leads to nothing, what
// there is instead explains why.
func (l *gitLook) choose(ctx context.Context, wish reference.Wish) (reference.Choice, error) {
	listing, cancel := context.WithDeadline(ctx, l.deadline)
	defer cancel()
	refs, err := l.kind.remotes.List(listing, l.remote, wish.Narrow())
	if err != nil {
		return reference.Choice{}, err
	}
	choices, err := wish.Choose(refs)
	if err != nil {
		if refs, err = l.kind.remotes.List(listing, l.remote, wish.Wide()); err == nil {
			choices, err = wish.Choose(refs)
		}
	}
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

// fetch brings the commit and puts together what is asked for, in the order of
// the contract: signatures, submodules, folders, includes.
func (l *gitLook) fetch(ctx context.Context, choice reference.Choice) (content, *status.Failure) {
	tree, err := l.kind.remotes.Checkout(ctx, l.remote, choice, l.deadline)
	if err != nil {
		return content{}, gitFailure(err)
	}
	open := closers{tree.Close}
	if failure := l.unpinned(tree); failure != nil {
		open.close()
		return content{}, failure
	}
	packed, verification, failure := l.assemble(ctx, tree, choice, &open)
	if failure != nil {
		open.close()
		return content{}, failure
	}
	commit := tree.Commit()
	return content{
		revision:     choice.Revision(commit.Hash).String(),
		file:         commit.Hash + ".tar.gz",
		title:        fmt.Sprintf("stored artifact for commit '%s'", commit.Subject),
		verification: verification,
		write: func(w io.Writer) error {
			earlier, release := l.kind.donors(l.obj.GetArtifact())
			defer release()
			report, err := archive.Write(w, packed, archive.Options{Ignore: l.obj.Spec.Ignore, MaxBytes: l.kind.maxBytes, Donor: earlier, Flux: l.kind.flux})
			if err == nil {
				ctrl.LoggerFrom(ctx).Info("packed a commit", "commit", commit.Hash, "because", choice.Reason,
					"files", report.Files, "bytes", report.Bytes, "ignored", report.Ignored, "symlinksLeftOut", report.Links, "copied", report.Reused)
			}
			return err
		},
		failure: packFailure,
		record:  func() { recordContent(l.obj, l.included) },
		close:   open.close,
	}, nil
}

// unpinned refuses a commit that is not the one that the spec pins: a branch may
// move between listing and fetching it.
func (l *gitLook) unpinned(tree *gitremote.Tree) *status.Failure {
	ref := l.obj.Spec.Reference
	if ref == nil || ref.Commit == "" || ref.Name != "" || strings.EqualFold(ref.Commit, tree.Commit().Hash) {
		return nil
	}
	return fetchFailure(halt.Retryf(sourcev1.GitOperationFailedReason,
		"failed to checkout and determine revision: the remote moved while it was fetched: got commit %s in place of %s", tree.Commit().Hash, ref.Commit))
}

// closers are what has to be closed, in the order in which it was opened.
type closers []func()

func (c *closers) close() {
	for _, f := range slices.Backward(*c) {
		f()
	}
}

// assemble puts a commit's tree together with what belongs to it. Signatures come
// first: a commit that nobody vouches for names no further hosts to ask.
func (l *gitLook) assemble(ctx context.Context, tree *gitremote.Tree, choice reference.Choice, open *closers) (archive.Tree, status.Verification, *status.Failure) {
	verification, failure := l.verify(ctx, tree, choice)
	if failure != nil {
		return nil, verification, failure
	}
	packed, err := l.withSubmodules(ctx, tree, open)
	if err != nil {
		return nil, verification, gitFailure(err)
	}
	if paths := l.obj.Spec.SparseCheckout; len(paths) > 0 {
		if packed, err = assembly.Sparse(packed, paths); err != nil {
			return nil, verification, fetchFailure(halt.Retryf(sourcev1.GitOperationFailedReason, "failed to sparse checkout directories: %w", err))
		}
	}
	packed, failure = l.withIncludes(packed, open)
	return packed, verification, failure
}

func (l *gitLook) withSubmodules(ctx context.Context, tree *gitremote.Tree, open *closers) (archive.Tree, error) {
	if !l.obj.Spec.RecurseSubmodules {
		return tree, nil
	}
	submodules, err := l.kind.remotes.Submodules(ctx, l.remote, tree, l.deadline)
	if err != nil || len(submodules) == 0 {
		return tree, err
	}
	*open = append(*open, func() { gitremote.CloseAll(submodules) })
	parts := make([]assembly.Part, len(submodules))
	for i, s := range submodules {
		parts[i] = assembly.Part{Tree: s.Tree, To: s.Path, GitFile: s.GitFile}
	}
	return assembly.Join(tree, parts...)
}

// verify checks signatures of what was fetched. Nothing is stored before.
func (l *gitLook) verify(ctx context.Context, tree *gitremote.Tree, choice reference.Choice) (status.Verification, *status.Failure) {
	asked := l.obj.Spec.Verification
	if asked == nil {
		return status.Verification{Off: true}, nil
	}
	var secret corev1.Secret
	key := types.NamespacedName{Namespace: l.obj.Namespace, Name: asked.SecretRef.Name}
	if err := l.kind.secrets.Get(ctx, key, &secret); err != nil {
		return status.Verification{}, unverified(halt.Retryf(status.VerificationErrorReason, "public keys secret error: %w", err))
	}
	subject := gitverify.Subject{Commit: tree.Commit(), TagName: choice.TagName(), Tag: tree.Tag()}
	message, err := gitverify.Verify(asked.GetMode(), subject, secret.Data)
	var refusal *gitverify.Refusal
	switch {
	case err == nil:
		return status.Verification{Message: message}, nil
	case errors.As(err, &refusal) && refusal.Final:
		return status.Verification{}, unverified(halt.Stalledf(refusal.Reason, "%w", err))
	case errors.As(err, &refusal):
		return status.Verification{}, unverified(halt.Retryf(refusal.Reason, "%w", err))
	default:
		return status.Verification{}, unverified(halt.Retryf(status.VerificationErrorReason, "%w", err))
	}
}

func unverified(h *halt.Error) *status.Failure {
	return &status.Failure{Condition: sourcev1.SourceVerifiedCondition, Halt: h}
}

// verificationAsked tells, before anything is fetched, whether there is
// something to verify at all.
func verificationAsked(obj *sourcev1.GitRepository) func(context.Context) (status.Verification, *status.Failure) {
	return func(context.Context) (status.Verification, *status.Failure) {
		off := obj.Spec.Verification == nil
		if off {
			obj.Status.SourceVerificationMode = nil
		}
		return status.Verification{Off: off}, nil
	}
}

// recordContent notes what the artifact was made of; the next pass compares with it.
func recordContent(obj *sourcev1.GitRepository, included []*meta.Artifact) {
	obj.Status.IncludedArtifacts = included
	obj.Status.ObservedIgnore = obj.Spec.Ignore
	obj.Status.ObservedRecurseSubmodules = obj.Spec.RecurseSubmodules
	obj.Status.ObservedInclude = obj.Spec.Include
	obj.Status.ObservedSparseCheckout = obj.Spec.SparseCheckout
	obj.Status.SourceVerificationMode = nil
	if asked := obj.Spec.Verification; asked != nil {
		mode := asked.GetMode()
		obj.Status.SourceVerificationMode = &mode
	}
}

// contentChanged tells whether other content of a revision is asked for than was
// stored, also by another controller that served this object before.
func contentChanged(obj *sourcev1.GitRepository, included []*meta.Artifact) bool {
	before, asked := obj.Status, obj.Spec
	return !equalText(asked.Ignore, before.ObservedIgnore) ||
		asked.RecurseSubmodules != before.ObservedRecurseSubmodules ||
		!slices.Equal(asked.Include, before.ObservedInclude) ||
		!slices.Equal(asked.SparseCheckout, before.ObservedSparseCheckout) ||
		includesDiffer(before.IncludedArtifacts, included) ||
		needsVerification(obj)
}

// needsVerification tells whether something is to be verified that was not when
// the artifact was stored.
func needsVerification(obj *sourcev1.GitRepository) bool {
	asked, before := obj.Spec.Verification, obj.Status.SourceVerificationMode
	if asked == nil {
		return false
	}
	return before == nil || (*before != sourcev1.ModeGitTagAndHEAD && *before != asked.GetMode())
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

// withIncludes puts the included artifacts, or folders of them, to their places.
func (l *gitLook) withIncludes(base archive.Tree, open *closers) (archive.Tree, *status.Failure) {
	var parts []assembly.Part
	for i, include := range l.obj.Spec.Include {
		packed, err := l.kind.artifacts.Read(*l.included[i], l.kind.now())
		if err != nil {
			// Its owner replaces it, or has lost it: the next look finds another.
			return nil, includeUnavailable(halt.Waitf("NoArtifact", l.kind.waiting, "no artifact available for include '%s': %w", include.GitRepositoryRef.Name, err))
		}
		unpacked, err := assembly.Unpack(packed, assembly.Limits{Bytes: l.kind.maxBytes, Files: l.kind.maxFiles})
		_ = packed.Close()
		if err != nil {
			return nil, copyFailure(include, err)
		}
		*open = append(*open, func() { _ = unpacked.Close() })
		parts = append(parts, assembly.Part{Tree: unpacked, From: include.GetFromPath(), To: include.GetToPath()})
	}
	for i, part := range parts {
		joined, err := assembly.Join(base, part)
		if err != nil {
			return nil, copyFailure(l.obj.Spec.Include[i], err)
		}
		base = joined
	}
	return base, nil
}

func copyFailure(include sourcev1.GitRepositoryInclude, err error) *status.Failure {
	reason := "CopyFailure"
	if errors.Is(err, assembly.ErrIllegal) {
		reason = "IllegalPath"
	}
	return storageFailure(reason, fmt.Errorf("failed to copy '%s' include from %s to %s: %w",
		include.GitRepositoryRef.Name, include.GetFromPath(), include.GetToPath(), err))
}
