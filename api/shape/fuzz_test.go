// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// FuzzFind: whatever the text, what is found lies within it and is gone once it
// is hidden, and what its masks tell is what was found.
func FuzzFind(f *testing.F) {
	for _, text := range []string{
		"postgres://app:s3cr3t@db/x", "Server=db;User Id=app;Password=s3cr3t;", "app:s3cr3t@tcp(db:3306)/x",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", `{"auths":{"r":{"auth":"YXBwOnMzY3IzdA=="}}}`,
		"Authorization: Bearer x9Kq2mWv7RtYb4NcZd8L", "Basic YXBwOnMzY3IzdA==", "https://h/x?sig=x9Kq2mWv7RtYb4NcZd8L&a=b",
		"amqp://a:b@h,amqp://c:d/e@h", "--db-password=s3cr3t curl -u a:bcd x", "password: s3cr3t\ntoken = \"abcd1234\"",
		"<password>s3cr3t</password>", "(masked opaque hmac:8c1f found:jwt,url-password)", "postgres://$(U):${P}@db", "{{ .a | default \"s3cr3t\" }}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Contains(text, "(masked ") {
			return
		}
		hits := shape.Find(text, nil)
		for _, h := range hits {
			if h.Start < 0 || h.End < h.Start || h.End > len(text) || h.ID == "" {
				t.Fatalf("%+v is not within %q", h, text)
			}
		}
		hidden := shape.Hide(text, hits, func(_ string, found []string) string {
			return shape.Mask{Shape: shape.Opaque, Digest: "00112233", Found: found}.String()
		})
		bare := shape.Hide(text, hits, func(string, []string) string { return "\x00" })
		for _, h := range hits {
			if h.End-h.Start >= 4 && strings.Count(bare, text[h.Start:h.End]) >= strings.Count(text, text[h.Start:h.End]) {
				t.Fatalf("%q is still in %q", text[h.Start:h.End], bare)
			}
		}
		seen := shape.IDs(shape.Find(hidden, nil))
		for _, h := range hits {
			if h.End > h.Start && !slices.Contains(seen, h.ID) {
				t.Fatalf("%s is lost in the mask of %q: %q", h.ID, text, hidden)
			}
		}
		_ = shape.Of(text)
		_ = shape.Between(text)
	})
}
