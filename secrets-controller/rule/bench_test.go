// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// BenchmarkRun is a full static run, parsing included, over 1,000
// ExternalSecrets and 500 workloads that read three Secrets each.
func BenchmarkRun(b *testing.B) {
	var stream strings.Builder
	stream.WriteString(store("vault"))
	for i := range 1000 {
		stream.WriteString(fetching(fmt.Sprintf("db-%d", i), "password", "refreshInterval: 1h"))
	}
	for i := range 500 {
		manifest := reads(fmt.Sprintf("db-%d", i), "password") +
			reads(fmt.Sprintf("db-%d", i+500), "password") + reads(fmt.Sprintf("missing-%d", i), "password")
		stream.WriteString(strings.ReplaceAll(manifest, "name: api\n", fmt.Sprintf("name: api-%d\n", i)))
	}
	text := []byte(stream.String())
	b.ReportAllocs()
	for b.Loop() {
		objects, err := declaration.Parse("bench.yaml", text)
		if err != nil {
			b.Fatal(err)
		}
		in := rule.Input{Declared: declaration.Read(objects, declaration.Options{})}
		rule.Run(in)
	}
}
