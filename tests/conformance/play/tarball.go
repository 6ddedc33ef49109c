// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/opencontainers/go-digest"
)

// maxArtifact bounds a download; cases are small.
const maxArtifact = 64 << 20

// tarball is a downloaded artifact.
type tarball struct {
	digest  string   // of the uncompressed tar; of the bytes where they are none
	names   []string // with a mark for folders and executables
	content map[string]string
}

// download gets an artifact as a consumer does: by the address in the status,
// checked by the digest in the status.
func download(ctx context.Context, artifact meta.Artifact) (*tarball, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, artifact.URL, nil)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the artifact %s: %s", artifact.URL, response.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxArtifact))
	if err != nil {
		return nil, err
	}
	if got := digest.FromBytes(raw).String(); got != artifact.Digest {
		return nil, fmt.Errorf("the artifact %s has the digest %s, the status says %s", artifact.URL, got, artifact.Digest)
	}
	if artifact.Size == nil || *artifact.Size != int64(len(raw)) {
		return nil, fmt.Errorf("the artifact %s has %d bytes, which the status does not say", artifact.URL, len(raw))
	}
	return unpack(raw)
}

// Verify downloads an artifact, checks its bytes and reads it to the end.
func Verify(ctx context.Context, artifact meta.Artifact) error {
	_, err := download(ctx, artifact)
	return err
}

// Files downloads an artifact and gives its files, links left out.
func Files(ctx context.Context, artifact meta.Artifact) (map[string]string, error) {
	tar, err := download(ctx, artifact)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range tar.names {
		if name = strings.TrimSuffix(name, "*"); !strings.HasSuffix(name, "/") {
			files[name] = tar.content[name]
		}
	}
	return files, nil
}

func unpack(raw []byte) (*tarball, error) {
	t := &tarball{content: map[string]string{}}
	compressed, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.digest = sum(raw)
		return t, nil // bytes as they are
	}
	plain, err := io.ReadAll(compressed)
	if err != nil {
		return nil, fmt.Errorf("the artifact cannot be decompressed: %w", err)
	}
	t.digest = sum(plain)
	files := tar.NewReader(bytes.NewReader(plain))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the artifact is no tar: %w", err)
		}
		content, err := io.ReadAll(files)
		if err != nil {
			return nil, fmt.Errorf("the artifact is no tar: %w", err)
		}
		t.names = append(t.names, header.Name+mark(header))
		t.content[header.Name] = string(content)
	}
}

// mark shows what is not a plain file, as ls does.
func mark(h *tar.Header) string {
	switch {
	case h.Typeflag == tar.TypeDir:
		return "/"
	case h.Typeflag != tar.TypeReg:
		return "?"
	case h.Mode == 0o700:
		return "*"
	}
	return ""
}

func sum(raw []byte) string {
	digest := sha256.Sum256(raw)
	return hex.EncodeToString(digest[:])
}
