// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/layer"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// fetch reads the manifest by its digest and opens the selected layer.
func (l *ociLook) fetch(ctx context.Context, tag string) (content, *status.Failure) {
	// The deadline holds until the layer was read, which is after this returns.
	ctx, cancel := context.WithDeadline(ctx, l.deadline)
	got, failure := l.open(ctx, ocireference.Revision(tag, l.descriptor.Digest.String()))
	if failure != nil {
		cancel()
		return content{}, failure
	}
	release := got.close
	// A read that still waits for the registry ends first.
	got.close = func() { cancel(); release() }
	return got, nil
}

func (l *ociLook) open(ctx context.Context, revision string) (content, *status.Failure) {
	pulling := fmt.Sprintf("failed to pull artifact from '%s'", l.obj.Spec.URL)
	manifest, err := l.repository.Manifest(ctx, l.descriptor)
	if err != nil {
		return content{}, pullFailure(pulling, err)
	}
	selected, err := l.repository.Layer(manifest, l.obj.GetLayerMediaType())
	if err != nil {
		return content{}, fetchFailure(halt.Retryf(sourcev1.OCILayerOperationFailedReason, "%w", err))
	}
	blob, err := l.repository.Blob(ctx, selected, l.obj.Namespace+"/"+l.obj.Name)
	if err != nil {
		return content{}, layerFailure(pulling, err)
	}
	got := content{
		revision: revision,
		file:     l.descriptor.Digest.String() + ".tar.gz",
		title:    headline(l.obj, revision, manifest.Annotations),
		metadata: manifest.Annotations,
		record: func() {
			l.obj.Status.ObservedIgnore = l.obj.Spec.Ignore
			l.obj.Status.ObservedLayerSelector = l.obj.Spec.LayerSelector
		},
	}
	if l.obj.GetLayerOperation() == sourcev1.OCILayerCopy {
		return copied(got, blob), nil
	}
	return l.extracted(ctx, got, blob, selected)
}

// copied stores the bytes of the layer as they are. The store drops them if the
// blob turns out to be another at its end.
func copied(got content, blob *ociremote.Blob) content {
	got.write = func(w io.Writer) error {
		_, err := io.Copy(w, blob)
		return err
	}
	got.failure = func(err error) *status.Failure {
		if ociremote.FaultOf(err) != "" {
			return layerFailure("failed to copy layer from artifact", err)
		}
		return storageFailure(sourcev1.ArchiveOperationFailedReason, fmt.Errorf("unable to copy artifact to storage: %w", err))
	}
	got.close = func() { _ = blob.Close() }
	return got
}

// extracted unpacks the layer into a scratch file and packs it again, as Flux
// does, by way of the ignore rules.
func (l *ociLook) extracted(ctx context.Context, got content, blob *ociremote.Blob, selected ocispec.Descriptor) (content, *status.Failure) {
	scratch, err := l.kind.registries.Scratch()
	if err != nil {
		_ = blob.Close()
		return content{}, storageFailure(sourcev1.DirCreationFailedReason, fmt.Errorf("failed to create temporary working directory: %w", err))
	}
	tree, err := unpack(blob, scratch, l.kind.limits)
	if err = errors.Join(err, blob.Close()); err != nil {
		_ = scratch.Close()
		return content{}, unpackFailure(err)
	}
	got.write = func(w io.Writer) error {
		report, err := archive.Write(w, tree, archive.Options{Ignore: l.obj.Spec.Ignore, MaxBytes: l.kind.limits.Bytes, Flux: l.kind.flux})
		if err == nil {
			ctrl.LoggerFrom(ctx).Info("packed a layer", "digest", selected.Digest, "mediaType", selected.MediaType,
				"files", report.Files, "bytes", report.Bytes, "ignored", report.Ignored, "symlinksLeftOut", tree.Links())
		}
		return err
	}
	got.failure = packFailure
	got.close = func() { _ = scratch.Close() }
	return got, nil
}

// unpack reads the layer to the end of the blob, whatever the archive in it
// says about its own end: only there is it known to be the right one.
func unpack(blob io.Reader, scratch *os.File, limits layer.Limits) (*layer.Tree, error) {
	tree, err := layer.Unpack(blob, scratch, limits)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, blob)
	return tree, err
}

// unpackFailure tells an archive that must not be unpacked, or cannot, from a
// disk that cannot be written.
func unpackFailure(err error) *status.Failure {
	const what = "failed to extract layer contents from artifact"
	if ociremote.FaultOf(err) != "" || errors.Is(err, archive.ErrHostile) || errors.Is(err, archive.ErrTooLarge) || errors.Is(err, layer.ErrFormat) {
		return layerFailure(what, err)
	}
	return storageFailure(sourcev1.ArchiveOperationFailedReason, fmt.Errorf("%s: %w", what, err))
}
