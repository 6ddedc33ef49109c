// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

func archive(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	tarball := tar.NewWriter(zip)
	err := errors.Join(
		tarball.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}),
		func() error { _, err := tarball.Write([]byte(content)); return err }(),
		tarball.Close(), zip.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestManifests(t *testing.T) {
	good := archive(t, manifestsFile, "kind: x\n")
	other := archive(t, "other.yaml", "kind: x\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/unguessable/good.tar.gz":
			_, _ = w.Write(good)
		case "/unguessable/other.tar.gz":
			_, _ = w.Write(other)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for name, tc := range map[string]struct {
		reason   string
		rendered driftv1.Rendered
		want     string
	}{
		"Good":        {"downloaded and verified", driftv1.Rendered{URL: "/unguessable/good.tar.gz", Digest: digest(good)}, "kind: x\n"},
		"WrongDigest": {"not what the status promised", driftv1.Rendered{URL: "/unguessable/good.tar.gz", Digest: digest(other)}, ""},
		"NoDigest":    {"nothing was promised", driftv1.Rendered{URL: "/unguessable/good.tar.gz"}, ""},
		"NoManifests": {"another archive", driftv1.Rendered{URL: "/unguessable/other.tar.gz", Digest: digest(other)}, ""},
		"Gone":        {"its server dropped it", driftv1.Rendered{URL: "/unguessable/gone.tar.gz", Digest: digest(good)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tc.rendered.URL = server.URL + tc.rendered.URL
			got, err := Manifests(t.Context(), tc.rendered)
			if string(got) != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			var failure *ArtifactError
			if tc.want == "" && !errors.As(err, &failure) {
				t.Fatalf("%s: want an ArtifactError, got %v", tc.reason, err)
			}
			if err != nil && strings.Contains(err.Error(), "unguessable") {
				t.Errorf("the error shows the path of the artifact: %v", err)
			}
		})
	}
}
