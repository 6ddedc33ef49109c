// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPageIsFresh: the page in docs is what the CRDs say now.
func TestPageIsFresh(t *testing.T) {
	want, err := page("../../../config/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/fields.md differs from the CRDs; make generate writes it (-want +got):\n%s", diff)
	}
}

// TestNoKinds: a wrong folder is no empty page.
func TestNoKinds(t *testing.T) {
	if text, err := page(t.TempDir()); err == nil {
		t.Errorf("a folder without CRDs gave the page %q", text)
	}
}
