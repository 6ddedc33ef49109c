// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"io"
	"slices"
	"testing"
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
