// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/sops"
)

// TestMadeBySOPS opens files that SOPS 3.13.2 itself wrote, each with what it
// was made of beside it: with all kinds of value, several documents, comments,
// an expression for what is encrypted, and both ways to sum up.
func TestMadeBySOPS(t *testing.T) {
	key, err := os.ReadFile("testdata/own.agekey")
	if err != nil {
		t.Fatal(err)
	}
	own, err := sops.Identities([]string{string(key)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"typed.yaml", "secret.yaml", "only.yaml", "x.json", "x.env", "x.bin"} {
		t.Run(name, func(t *testing.T) {
			file, is, err := sops.Decrypt(name, read(t, name), own)
			if err != nil || !is {
				t.Fatalf("encrypted %t: %v", is, err)
			}
			want := read(t, name+".plain")
			if strings.HasSuffix(name, ".env") || strings.HasSuffix(name, ".bin") {
				if diff := cmp.Diff(string(want), string(file.Plain)); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				return
			}
			if diff := cmp.Diff(values(t, want), values(t, file.Plain)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	for name, kind := range map[string]error{"foreign.yaml": sops.ErrKey, "groups.yaml": sops.ErrProvider} {
		if _, is, err := sops.Decrypt(name, read(t, name), own); !is || !errors.Is(err, kind) {
			t.Errorf("%s: encrypted %t, %v", name, is, err)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
