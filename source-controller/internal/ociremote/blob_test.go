// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
)

type sourceRef = sourcev1.OCIRepositoryRef

// noise is incompressible and the same every time.
func noise(size int) []byte {
	source := rand.NewChaCha8([32]byte{1})
	raw := make([]byte, size)
	_, _ = source.Read(raw)
	return raw
}

// breaker lets so many bytes of an answer through, then cuts the connection.
type breaker struct {
	http.ResponseWriter
	left int
}

func (b *breaker) Write(p []byte) (int, error) {
	if len(p) > b.left {
		_, _ = b.ResponseWriter.Write(p[:b.left])
		b.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.ResponseWriter.Write(p)
}

// serving answers requests for blobs with the given bytes, breaking off as told.
type serving struct {
	raw    []byte
	breaks []int // after how many bytes each answer ends; the rest are whole
	deaf   bool  // to ranges
	ranges []string
}

func (s *serving) hook(w http.ResponseWriter, req *http.Request) bool {
	if !strings.Contains(req.URL.Path, "/blobs/") || req.Method != http.MethodGet {
		return true
	}
	s.ranges = append(s.ranges, req.Header.Get("Range"))
	if s.deaf {
		req.Header.Del("Range")
	}
	if len(s.breaks) > 0 {
		w = &breaker{ResponseWriter: w, left: s.breaks[0]}
		s.breaks = s.breaks[1:]
	}
	http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(s.raw))
	return false
}

func readBlob(t *testing.T, repo *Repository, descriptor ocispec.Descriptor) ([]byte, error) {
	t.Helper()
	blob, err := repo.Blob(t.Context(), descriptor, "ns/name")
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(blob)
	return raw, errors.Join(err, blob.Close())
}

func TestBlobsGoOn(t *testing.T) {
	raw := noise(200_000)
	tests := map[string]struct {
		reason string
		server serving
		ranges []string
		fault  Fault
	}{
		"whole":          {"nothing breaks", serving{raw: raw}, []string{""}, ""},
		"breaks":         {"the rest is asked for", serving{raw: raw, breaks: []int{100_000}}, []string{"", "bytes=100000-"}, ""},
		"breaks twice":   {"and the rest of the rest", serving{raw: raw, breaks: []int{100_000, 50_000}}, []string{"", "bytes=100000-", "bytes=150000-"}, ""},
		"deaf to ranges": {"what is known is passed over", serving{raw: raw, breaks: []int{100_000}, deaf: true}, []string{"", "bytes=100000-"}, ""},
		"gets nowhere":   {"it ends", serving{raw: raw, breaks: []int{1000, 0, 0, 0, 0}}, []string{"", "bytes=1000-", "bytes=1000-", "bytes=1000-"}, Unreachable},
		"other bytes":    {"not what was promised", serving{raw: noise(200_001)[1:]}, []string{""}, Rubbish},
		"shorter":        {"another size", serving{raw: raw[:1000]}, []string{""}, Rubbish},
		"longer":         {"another size", serving{raw: append(noise(200_000), 'x')}, []string{""}, Rubbish},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			registry := ocitest.Serve(t, ocitest.Options{})
			descriptor := registry.PushBlob(t, "app", ocitest.FluxLayer, raw)
			registry.Before(tc.server.hook)
			registries := open(t, 0)
			got, err := readBlob(t, repository(t, registries, remoteOf(t, registry, nil)), descriptor)
			if FaultOf(err) != tc.fault {
				t.Fatalf("%s: got %v, want fault %q", tc.reason, err, tc.fault)
			}
			if err == nil && !bytes.Equal(got, raw) {
				t.Errorf("%s: other bytes", tc.reason)
			}
			if strings.Join(tc.server.ranges, ",") != strings.Join(tc.ranges, ",") {
				t.Errorf("%s: asked for %q", tc.reason, tc.server.ranges)
			}
			if left, _ := os.ReadDir(registries.partials); tc.fault != Unreachable && len(left) > 0 {
				t.Errorf("%s: it left %d files", tc.reason, len(left))
			}
		})
	}
}

// TestBlobsGoOnAtTheNextPass: also after the process was killed, which is what
// an opened file that is never closed amounts to.
func TestBlobsGoOnAtTheNextPass(t *testing.T) {
	raw := noise(200_000)
	registry := ocitest.Serve(t, ocitest.Options{})
	descriptor := registry.PushBlob(t, "app", ocitest.FluxLayer, raw)
	server := &serving{raw: raw, breaks: []int{120_000, 0, 0, 0}}
	registry.Before(server.hook)
	root := t.TempDir()
	config := Config{Root: root}
	first, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	blob, err := repository(t, first, remoteOf(t, registry, nil)).Blob(t.Context(), descriptor, "ns/name")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, blob); FaultOf(err) != Unreachable {
		t.Fatalf("got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Close() })
	server.ranges = nil
	got, err := readBlob(t, repository(t, second, remoteOf(t, registry, nil)), descriptor)
	if err != nil || !bytes.Equal(got, raw) || strings.Join(server.ranges, ",") != "bytes=120000-" {
		t.Errorf("got %d bytes, %v, asked for %q", len(got), err, server.ranges)
	}
}

// TestSpoiltPartsAreFetchedAnew: bytes on disk are as little trusted as those of
// a registry.
func TestSpoiltPartsAreFetchedAnew(t *testing.T) {
	raw := noise(100_000)
	registry := ocitest.Serve(t, ocitest.Options{})
	descriptor := registry.PushBlob(t, "app", ocitest.FluxLayer, raw)
	registries := open(t, 0)
	repo := repository(t, registries, remoteOf(t, registry, nil))
	server := &serving{raw: raw, breaks: []int{50_000, 0, 0, 0}}
	registry.Before(server.hook)
	if _, err := readBlob(t, repo, descriptor); FaultOf(err) != Unreachable {
		t.Fatalf("got %v", err)
	}
	left, err := os.ReadDir(registries.partials)
	if err != nil || len(left) != 1 {
		t.Fatalf("%d parts, %v", len(left), err)
	}
	if err := os.WriteFile(registries.partials+"/"+left[0].Name(), noise(60_000)[10_000:], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBlob(t, repo, descriptor); FaultOf(err) != Rubbish {
		t.Fatalf("got %v", err)
	}
	if got, err := readBlob(t, repo, descriptor); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestBlobLimit(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	descriptor := registry.PushBlob(t, "app", ocitest.FluxLayer, noise(1000))
	repo := repository(t, open(t, 999), remoteOf(t, registry, nil))
	if _, err := readBlob(t, repo, descriptor); FaultOf(err) != TooLarge {
		t.Errorf("got %v", err)
	}
}

func TestSweep(t *testing.T) {
	registries := open(t, 0)
	if err := os.WriteFile(registries.partials+"/old", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if removed, err := registries.Sweep(time.Now().Add(-time.Hour)); removed != 0 || err != nil {
		t.Errorf("a young one: %d, %v", removed, err)
	}
	if removed, err := registries.Sweep(time.Now().Add(time.Hour)); removed != 1 || err != nil {
		t.Errorf("an old one: %d, %v", removed, err)
	}
}

func TestManifests(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	one := registry.Push(t, "app", "one", ocitest.Artifact{Layers: []ocitest.Layer{{MediaType: "a/one", Bytes: []byte("1")}, {MediaType: "a/two", Bytes: []byte("2")}}})
	two := registry.Push(t, "app", "two", ocitest.Artifact{Layers: []ocitest.Layer{{MediaType: "a/two", Bytes: []byte("2")}}})
	arm, amd := two, one
	arm.Platform = &ocispec.Platform{OS: "linux", Architecture: "arm64"}
	amd.Platform = &ocispec.Platform{OS: "linux", Architecture: "amd64"}
	proof := two
	proof.Annotations = map[string]string{attestation: "attestation-manifest"}
	index := func(entries ...ocispec.Descriptor) ocispec.Descriptor {
		return registry.PushDocument(t, "app", "", ocispec.MediaTypeImageIndex, ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, Manifests: entries})
	}
	tests := map[string]struct {
		reason string
		top    ocispec.Descriptor
		media  string
		want   string
		fault  Fault
	}{
		"first layer":      {"nothing is selected", one, "", "1", ""},
		"media type":       {"the first of it", one, "a/two", "2", ""},
		"no such layer":    {"says what there is", one, "a/three", "", Unsupported},
		"by digest":        {"its size follows", ByDigest(one.Digest.String()), "", "1", ""},
		"index":            {"the platform that Flux means", index(arm, amd), "", "1", ""},
		"index of one":     {"whatever its platform", index(arm), "", "2", ""},
		"with attestation": {"tells about the other", index(amd, proof), "", "1", ""},
		"index of indexes": {"as deep as anybody needs", index(index(one)), "", "1", ""},
		"undecided":        {"two that could be meant", index(one, two), "", "", Unsupported},
		"empty":            {"none", index(), "", "", Unsupported},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			repo := repository(t, open(t, 0), remoteOf(t, registry, nil))
			manifest, err := repo.Manifest(t.Context(), tc.top)
			var layer ocispec.Descriptor
			if err == nil {
				layer, err = repo.Layer(manifest, tc.media)
			}
			if FaultOf(err) != tc.fault {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if err != nil {
				return
			}
			if got, err := readBlob(t, repo, layer); err != nil || string(got) != tc.want {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}
