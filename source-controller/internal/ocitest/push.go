// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ocitest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// Media types of what Flux's own command line pushes.
const (
	FluxConfig = "application/vnd.cncf.flux.config.v1+json"
	FluxLayer  = "application/vnd.cncf.flux.content.v1.tar+gzip"
)

// Layer is one blob of an artifact.
type Layer struct {
	MediaType string
	Bytes     []byte
	// Annotations of the layer, for signatures.
	Annotations map[string]string
}

// Artifact is what to push.
type Artifact struct {
	Layers      []Layer
	Annotations map[string]string
	// ArtifactType and Subject make it tell about another.
	ArtifactType string
	Subject      *ocispec.Descriptor
}

// Files is an artifact as Flux makes it of files.
func Files(t testing.TB, files map[string]string) Artifact {
	t.Helper()
	return Artifact{
		Layers:      []Layer{{MediaType: FluxLayer, Bytes: Tarball(t, Entries(files)...)}},
		Annotations: map[string]string{"org.opencontainers.image.source": "https://git.example/app.git"},
	}
}

// Entry is a header and its content.
type Entry struct {
	tar.Header
	Body string
}

// Entries are regular files, ordered by name.
func Entries(files map[string]string) []Entry {
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, Entry{Header: tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg}, Body: files[name]})
	}
	return entries
}

// Tarball packs entries in the given order.
func Tarball(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	writer := tar.NewWriter(compressed)
	for _, entry := range entries {
		header := entry.Header
		if header.Typeflag == tar.TypeReg {
			header.Size = int64(len(entry.Body))
		}
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write([]byte(entry.Body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := compressed.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// Push stores an artifact under a tag, or under its digest alone where the tag
// is empty.
func (r *Registry) Push(t testing.TB, repository, tag string, artifact Artifact) ocispec.Descriptor {
	t.Helper()
	config := r.PushBlob(t, repository, FluxConfig, []byte("{}"))
	manifest := ocispec.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    ocispec.MediaTypeImageManifest,
		ArtifactType: artifact.ArtifactType,
		Config:       config,
		Annotations:  artifact.Annotations,
		Subject:      artifact.Subject,
	}
	for _, layer := range artifact.Layers {
		descriptor := r.PushBlob(t, repository, layer.MediaType, layer.Bytes)
		descriptor.Annotations = layer.Annotations
		manifest.Layers = append(manifest.Layers, descriptor)
	}
	return r.PushDocument(t, repository, tag, manifest.MediaType, manifest)
}

// PushDocument stores a manifest or an index as it is.
func (r *Registry) PushDocument(t testing.TB, repository, tag, mediaType string, document any) ocispec.Descriptor {
	t.Helper()
	raw, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	descriptor := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(raw), Size: int64(len(raw))}
	store := r.Store(t, repository)
	if tag == "" {
		err = store.Push(t.Context(), descriptor, bytes.NewReader(raw))
	} else {
		err = store.PushReference(t.Context(), descriptor, bytes.NewReader(raw), tag)
	}
	if err != nil {
		t.Fatalf("push a manifest: %v", err)
	}
	return descriptor
}

// PushBlob stores a blob.
func (r *Registry) PushBlob(t testing.TB, repository, mediaType string, raw []byte) ocispec.Descriptor {
	t.Helper()
	descriptor := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(raw), Size: int64(len(raw))}
	if err := r.Store(t, repository).Push(t.Context(), descriptor, bytes.NewReader(raw)); err != nil {
		t.Fatalf("push a blob: %v", err)
	}
	return descriptor
}

// Store is a client with the rights to push.
func (r *Registry) Store(t testing.TB, repository string) *remote.Repository {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if r.CA != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(r.CA)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &remote.Repository{
		Reference: registry.Reference{Registry: r.Host, Repository: repository},
		PlainHTTP: r.CA == nil,
		Client: &auth.Client{
			Client:     &http.Client{Transport: transport},
			Cache:      auth.NewCache(),
			Credential: auth.StaticCredential(r.Host, auth.Credential{Username: r.options.Username, Password: r.options.Password}),
		},
	}
}
