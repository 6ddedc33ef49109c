// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	// How the registry stores blobs.
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/sirupsen/logrus"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/registry/remote"
)

// Media types of Flux's artifacts.
const (
	fluxConfig  = "application/vnd.cncf.flux.config.v1+json"
	fluxContent = "application/vnd.cncf.flux.content.v1.tar+gzip"
)

// Registry is a running registry.
type Registry struct {
	Host   string
	server *httptest.Server
}

// Start starts a registry with its blobs in a folder.
func Start(ctx context.Context, folder string) (*Registry, error) {
	logrus.SetOutput(io.Discard)
	config := &configuration.Configuration{Storage: configuration.Storage{
		"filesystem": configuration.Parameters{"rootdirectory": folder},
	}}
	config.HTTP.Secret = "of a test"
	server := httptest.NewServer(handlers.NewApp(context.WithoutCancel(ctx), config))
	_, host, found := strings.Cut(server.URL, "://")
	if !found {
		server.Close()
		return nil, fmt.Errorf("the registry listens at %q", server.URL)
	}
	return &Registry{Host: host, server: server}, nil
}

// Close ends the registry.
func (r *Registry) Close() { r.server.Close() }

// Push makes an artifact of files, as Flux's command line does, moves a tag to it
// and gives its digest.
func (r *Registry) Push(ctx context.Context, name, tag string, files map[string]string) (string, error) {
	repository, err := remote.NewRepository(r.Host + "/" + name)
	if err != nil {
		return "", fmt.Errorf("pushing %s: %w", name, err)
	}
	repository.PlainHTTP = true
	packed, err := pack(files)
	if err != nil {
		return "", err
	}
	config, err := oras.PushBytes(ctx, repository, fluxConfig, []byte("{}"))
	if err != nil {
		return "", fmt.Errorf("pushing %s: %w", name, err)
	}
	layer, err := oras.PushBytes(ctx, repository, fluxContent, packed)
	if err != nil {
		return "", fmt.Errorf("pushing %s: %w", name, err)
	}
	// A fixed time, so that equal files have an equal digest.
	manifest, err := oras.PackManifest(ctx, repository, oras.PackManifestVersion1_1, fluxConfig, oras.PackManifestOptions{
		ConfigDescriptor:    &config,
		Layers:              []ocispec.Descriptor{layer},
		ManifestAnnotations: map[string]string{ocispec.AnnotationCreated: "2026-01-01T00:00:00Z"},
	})
	if err != nil {
		return "", fmt.Errorf("pushing %s: %w", name, err)
	}
	return manifest.Digest.String(), repository.Tag(ctx, manifest, tag)
}

// pack gives the same bytes for the same files.
func pack(files map[string]string) ([]byte, error) {
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	w := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
	}
	err := errors.Join(w.Close(), compressed.Close()) // what is packed is whole only now
	return packed.Bytes(), err
}
