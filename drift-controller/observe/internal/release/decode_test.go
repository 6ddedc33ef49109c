// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return []byte(base64.StdEncoding.EncodeToString(b.Bytes()))
}

func TestObjects(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   []byte
		want   int
		err    error
	}{
		"packed":     {"as Helm writes it", packed(t, []byte(`{"manifest":"kind: A\napiVersion: v1\nmetadata: {name: a}\n---\nkind: B\napiVersion: v1\nmetadata: {name: b}\n"}`)), 2, nil},
		"plain":      {"as the first Helm 3 wrote some", []byte(base64.StdEncoding.EncodeToString([]byte(`{"manifest":""}`))), 0, nil},
		"no base64":  {"somebody else's Secret", []byte("%%%"), 0, ErrNotRelease},
		"no JSON":    {"as above", packed(t, []byte("x")), 0, ErrNotRelease},
		"a bomb":     {"small when packed, endless when not", packed(t, bytes.Repeat([]byte(" "), largest+2)), 0, ErrNotRelease},
		"broken":     {"cut off", []byte(base64.StdEncoding.EncodeToString([]byte{0x1f, 0x8b, 0x08, 0})), 0, ErrNotRelease},
		"bad object": {"a chart may render text", packed(t, []byte(`{"manifest":"just words"}`)), 0, manifest.ErrNotObject},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Objects(tc.data)
			if len(got) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: got %d objects and %v, want %d and %v", tc.reason, len(got), err, tc.want, tc.err)
			}
		})
	}
}
