// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"testing"

	kgzip "github.com/klauspost/compress/gzip"
)

// BenchmarkOneFileChanged compares packing a tree anew with packing it beside an
// archive of which one file changed, and both with one stream as Flux has it.
func BenchmarkOneFileChanged(b *testing.B) {
	before := knowing(forest(5000))
	var donor bytes.Buffer
	if _, err := Write(&donor, before, Options{}); err != nil {
		b.Fatal(err)
	}
	changed := slices.Clone(before.memory)
	changed[300] = file(changed[300].Path, "changed")
	after := knowing(changed)
	ways := map[string]func() Options{
		"flux":   func() Options { return Options{Flux: true} },
		"anew":   func() Options { return Options{} },
		"beside": func() Options { return Options{Donor: donorOf(donor.Bytes())} },
	}
	for _, name := range []string{"flux", "anew", "beside"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var size counter
				if _, err := Write(io.MultiWriter(&size, io.Discard), after, ways[name]()); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(size), "bytes")
			}
		})
	}
}

// BenchmarkCompressors compares what one core makes of the same tar: the library
// of Go at its levels, and another that is faster for a little more size.
func BenchmarkCompressors(b *testing.B) {
	var tarball bytes.Buffer
	if _, err := WriteTar(&tarball, forest(2000), Options{}); err != nil {
		b.Fatal(err)
	}
	kinds := map[string]func(io.Writer) (io.WriteCloser, error){
		"go-1":        func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, 1) },
		"go-6":        func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, 6) },
		"go-9":        func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, 9) },
		"klauspost-1": func(w io.Writer) (io.WriteCloser, error) { return kgzip.NewWriterLevel(w, 1) },
		"klauspost-6": func(w io.Writer) (io.WriteCloser, error) { return kgzip.NewWriterLevel(w, 6) },
		"klauspost-9": func(w io.Writer) (io.WriteCloser, error) { return kgzip.NewWriterLevel(w, 9) },
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var size counter
				w, err := kinds[name](&size)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Write(tarball.Bytes()); err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(size)/float64(tarball.Len()), "of-the-tar")
			}
		})
	}
}
