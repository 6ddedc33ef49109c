// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"

	"github.com/fluxcd/pkg/runtime/conditions"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

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
