// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxcd/pkg/runtime/conditions"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/layer"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// ociKind adapts OCIRepository to the pipeline.
type ociKind struct {
	access     *ociaccess.Access
	registries *ociremote.Registries
	limits     layer.Limits
	flux       bool // artifacts have Flux's compressed bytes
	now        func() time.Time
}

func (k *ociKind) name() string { return sourcev1.OCIRepositoryKind }

func (k *ociKind) empty() *sourcev1.OCIRepository { return &sourcev1.OCIRepository{} }

func (k *ociKind) suspended(obj *sourcev1.OCIRepository) bool { return obj.Spec.Suspend }

func (k *ociKind) fields(obj *sourcev1.OCIRepository) fields {
	return fields{
		artifact:           &obj.Status.Artifact,
		observedGeneration: &obj.Status.ObservedGeneration,
		requests:           &obj.Status.ReconcileRequestStatus,
		latest:             &obj.Status.URL,
	}
}

func (k *ociKind) words() words {
	return words{
		upToDate: sourcev1.ArtifactUpToDateReason,
		noun:     "digest",
	}
}

// resolve asks for the digest that the object means, with one HEAD request where
// the registry knows it.
func (k *ociKind) resolve(ctx context.Context, obj *sourcev1.OCIRepository) (target, *status.Failure) {
	address, err := ocireference.ParseURL(obj.Spec.URL)
	if err != nil {
		return target{}, fetchFailure(halt.Stalledf(sourcev1.URLInvalidReason, "URL validation failed for '%s': %w", obj.Spec.URL, err))
	}
	look := &ociLook{kind: k, obj: obj, deadline: k.now().Add(ociTimeout(obj))}
	bounded, cancel := context.WithDeadline(ctx, look.deadline)
	defer cancel()
	remote, failure := k.access.Remote(bounded, obj, address)
	if failure != nil {
		return target{}, failure
	}
	if remote.Insecure && remote.Certificates == nil {
		ctrl.LoggerFrom(ctx).Info("spec.insecure is set: plain HTTP is allowed and no certificate is checked; give the registry's authority by spec.certSecretRef", "url", obj.Spec.URL)
	}
	if look.repository, err = k.registries.Repository(remote); err != nil {
		return target{}, fetchFailure(halt.Retryf(sourcev1.AuthenticationFailedReason, "failed to generate transport for '%s': %w", obj.Spec.URL, err))
	}
	tag, failure := look.choose(bounded)
	if failure != nil {
		return target{}, failure
	}
	revision := ocireference.Revision(tag, look.descriptor.Digest.String())
	return target{
		revision: revision,
		rebuild:  ociContentChanged(obj),
		verify: func(ctx context.Context) (status.Verification, *status.Failure) {
			return look.verify(ctx, revision)
		},
		fetch: func(ctx context.Context) (content, *status.Failure) { return look.fetch(ctx, tag) },
	}, nil
}

// ociLook is one look at one repository, within one deadline.
type ociLook struct {
	kind       *ociKind
	obj        *sourcev1.OCIRepository
	repository *ociremote.Repository
	deadline   time.Time
	descriptor ocispec.Descriptor // what the object means
}

// choose finds the tag and its digest. A digest that was asked for is taken at
// its word: what has it cannot be anything else.
func (l *ociLook) choose(ctx context.Context) (tag string, failure *status.Failure) {
	wish, err := ocireference.Parse(l.obj.Spec.Reference, l.obj.GetLayerMediaType())
	switch {
	case err != nil && l.obj.Spec.Reference.Digest == "" && l.obj.Spec.Reference.SemVer != "":
		return "", l.noTag(err)
	case err != nil:
		return "", pullFailure("failed to determine artifact digest", err)
	case wish.Digest() != "":
		l.descriptor = ociremote.ByDigest(wish.Digest())
		return "", nil
	}
	tag = wish.Tag()
	if wish.Ranged() {
		if tag, err = l.repository.Choose(ctx, wish); err != nil {
			return "", l.noTag(err)
		}
	}
	if l.descriptor, err = l.repository.Resolve(ctx, tag); err != nil {
		return "", pullFailure("failed to determine artifact digest", err)
	}
	return tag, nil
}

func (l *ociLook) noTag(err error) *status.Failure {
	return fetchFailure(halt.Retryf(sourcev1.ReadOperationFailedReason, "failed to determine the artifact tag for '%s': %w", l.obj.Spec.URL, err))
}

// ociContentChanged tells whether other content of a revision is asked for than
// was stored.
func ociContentChanged(obj *sourcev1.OCIRepository) bool {
	asked, stored := obj.Spec.LayerSelector, obj.Status.ObservedLayerSelector
	if !equalText(obj.Spec.Ignore, obj.Status.ObservedIgnore) || (asked == nil) != (stored == nil) {
		return true
	}
	return asked != nil && *asked != *stored
}

func ociTimeout(obj *sourcev1.OCIRepository) time.Duration {
	if obj.Spec.Timeout == nil || obj.Spec.Timeout.Duration <= 0 {
		return defaultTimeout
	}
	return obj.Spec.Timeout.Duration
}

// pullFailure is a registry that cannot be read. A disk of our own that is full
// is none.
func pullFailure(what string, err error) *status.Failure {
	if ociremote.FaultOf(err) == ociremote.Local {
		return storageFailure(sourcev1.ArchiveOperationFailedReason, err)
	}
	return fetchFailure(halt.Retryf(sourcev1.OCIPullFailedReason, "%s: %w", what, err))
}

// layerFailure is an artifact that was read and cannot be used.
func layerFailure(what string, err error) *status.Failure {
	switch ociremote.FaultOf(err) {
	case ociremote.Local:
		return storageFailure(sourcev1.ArchiveOperationFailedReason, err)
	case ociremote.Unauthorized, ociremote.NotFound, ociremote.Unreachable, ociremote.Untrusted, ociremote.TimedOut:
		return pullFailure(what, err)
	}
	return fetchFailure(halt.Retryf(sourcev1.OCILayerOperationFailedReason, "%s: %w", what, err))
}

// headline tells people what was stored, with where it comes from if the
// manifest says so.
func headline(obj *sourcev1.OCIRepository, revision string, annotations map[string]string) string {
	text := fmt.Sprintf("stored artifact with revision '%s' from '%s'", revision, obj.Spec.URL)
	source, origin := annotations[ocispec.AnnotationSource], annotations[ocispec.AnnotationRevision]
	if source == "" || origin == "" {
		return text
	}
	return fmt.Sprintf("%s, origin source '%s', origin revision '%s'", text, source, origin)
}

// verify checks the signatures of what the object means, before any of it is
// stored.
func (l *ociLook) verify(ctx context.Context, revision string) (status.Verification, *status.Failure) {
	if l.obj.Spec.Verify == nil {
		return status.Verification{Off: true}, nil
	}
	if verified(l.obj, revision) {
		return status.Verification{}, nil
	}
	ctx, cancel := context.WithDeadline(ctx, l.deadline)
	defer cancel()
	signed, err := l.kind.access.Verify(ctx, l.obj, l.repository, l.descriptor)
	if err != nil {
		return status.Verification{}, &status.Failure{
			Condition: sourcev1.SourceVerifiedCondition,
			Halt: halt.Retryf(sourcev1.VerificationError, "failed to verify the signature using provider '%s': %w",
				ociaccess.Provider(l.obj.Spec.Verify), err),
		}
	}
	if !signed {
		return status.Verification{Off: true}, nil
	}
	return status.Verification{Message: fmt.Sprintf("verified signature of revision %s", revision)}, nil
}

// verified tells whether an earlier check still stands: of this revision, at this
// generation, and with success. A key that was taken back since is not noticed,
// as in Flux.
func verified(obj *sourcev1.OCIRepository, revision string) bool {
	return obj.GetArtifact().HasRevision(revision) &&
		conditions.IsTrue(obj, sourcev1.SourceVerifiedCondition) &&
		conditions.GetObservedGeneration(obj, sourcev1.SourceVerifiedCondition) == obj.Generation
}

var _ kind[*sourcev1.OCIRepository] = &ociKind{}
