// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
)

// BenchmarkPull compares pulling an artifact of 50 files of 1 MiB that do not
// compress, as OCIRepository does it, with fetching and hashing its bytes. Both
// are measured in turn, so that a busy machine is busy for both.
func BenchmarkPull(b *testing.B) {
	registry := ocitest.Serve(b, ocitest.Options{})
	source := rand.NewChaCha8([32]byte{7})
	files := map[string]string{}
	for i := range 50 {
		raw := make([]byte, 1<<20)
		_, _ = source.Read(raw)
		files[fmt.Sprintf("data/%02d.bin", i)] = string(raw)
	}
	artifact := ocitest.Files(b, files)
	registry.Push(b, "app", "latest", artifact)
	layer := registry.PushBlob(b, "app", ocitest.FluxLayer, artifact.Layers[0].Bytes)
	operations := map[string]string{"extract": sourcev1.OCILayerExtract, "copy": sourcev1.OCILayerCopy}
	for name, operation := range operations {
		b.Run(name, func(b *testing.B) {
			oci := newOCI(b, nil, nil)
			oci.limits.Bytes = 1 << 30
			obj := ociSource(registry, func(o *sourcev1.OCIRepository) {
				o.Spec.LayerSelector = &sourcev1.OCILayerSelector{Operation: operation}
			})
			var bare, pulled time.Duration
			var peak uint64
			for b.Loop() {
				start := time.Now()
				fetchAndHash(b, registry, layer)
				bare += time.Since(start)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start = time.Now()
				pullAndHash(b, oci, obj)
				pulled += time.Since(start)
				runtime.ReadMemStats(&after)
				peak = max(peak, after.TotalAlloc-before.TotalAlloc)
			}
			b.ReportMetric(float64(pulled)/float64(bare), "x-of-fetch-and-hash")
			b.ReportMetric(float64(peak)/(1<<20), "MiB-allocated")
		})
	}
}

func fetchAndHash(b *testing.B, registry *ocitest.Registry, layer ocispec.Descriptor) {
	b.Helper()
	resp, err := http.Get("http://" + registry.Host + "/v2/app/blobs/" + layer.Digest.String())
	if err != nil {
		b.Fatal(err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, resp.Body); err != nil {
		b.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		b.Fatal(err)
	}
	if got := fmt.Sprintf("sha256:%x", hash.Sum(nil)); got != layer.Digest.String() {
		b.Fatalf("got %s", got)
	}
}

// pullAndHash does what a pass does up to the store, which hashes what it writes.
func pullAndHash(b *testing.B, oci *ociKind, obj *sourcev1.OCIRepository) {
	b.Helper()
	target, failure := oci.resolve(b.Context(), obj)
	if failure != nil {
		b.Fatal(failure.Halt)
	}
	got, failure := target.fetch(b.Context())
	if failure != nil {
		b.Fatal(failure.Halt)
	}
	defer got.close()
	if err := got.write(sha256.New()); err != nil {
		b.Fatal(err)
	}
}
