// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// pack makes an archive of entries in their order; a size that is set pretends.
func pack(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	tarball := tar.NewWriter(zip)
	for _, entry := range entries {
		content := entry.PAXRecords["content"]
		header := entry
		header.PAXRecords, header.Size = nil, int64(len(content))
		if header.Mode == 0 {
			header.Mode = 0o600
		}
		if err := tarball.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := tarball.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tarball.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func file(name, content string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, PAXRecords: map[string]string{"content": content}}
}

func look(t *testing.T, content []byte, dir string) declaration.Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }))
	defer server.Close()
	app := &driftv1.Application{}
	app.Namespace, app.Name, app.Spec.Path = "shop", "users-api", dir
	app.Status.Rendered = &driftv1.Rendered{SourceURL: server.URL + "/unguessable", SourceDigest: digest(content)}
	return NewSources(time.Now).Load(t.Context(), app, false)
}

const openValue = "password: Zx81-Spectrum-48k\n"

func TestSourceBelowThePath(t *testing.T) {
	const sops = "creation_rules: [{age: age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq}]\n"
	content := pack(t, file(".sops.yaml", sops), file("apps/other/values.yaml", openValue),
		file("apps/shop-two/values.yaml", openValue), file("apps/shop/values.yaml", "a: b\n"+openValue),
		tar.Header{Name: "apps/shop/values-link.yaml", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		file("apps/shop/crds.yaml", strings.Repeat("# x\n", 1<<20+1)))
	got := look(t, content, "apps/shop")
	if !got.Known || len(got.Values) != 1 || got.Values[0].File != "apps/shop/values.yaml" || got.Values[0].Line != 2 {
		t.Errorf("want the value below the path and no other, got %+v", got)
	}
	if !got.SOPSRules || len(got.Recipients) != 1 || got.SOPSChoices != 1 {
		t.Errorf("want the rules of SOPS from the root, got %v %v %d", got.SOPSRules, got.Recipients, got.SOPSChoices)
	}
	if len(got.TooLarge) != 1 || got.TooLarge[0] != "apps/shop/crds.yaml" {
		t.Errorf("want the large file to be named, got %v", got.TooLarge)
	}
	if got := look(t, content, "apps/shop/empty"); !got.Known || len(got.Values) != 0 {
		t.Errorf("a folder without text: %+v", got)
	}
}

// TestSourceRefused: an archive that is hostile or too large is not half read.
func TestSourceRefused(t *testing.T) {
	much := strings.Repeat("x", 4<<20)
	var large []tar.Header
	for i := range 9 {
		large = append(large, file("app/"+string(rune('a'+i))+".txt", much))
	}
	for name, tc := range map[string]struct {
		content []byte
		dir     string
		want    string
	}{
		"leads out":    {pack(t, file("app/values.yaml", openValue), file("../../out.yaml", "a: b")), "app", "no valid archive"},
		"leads up":     {pack(t, tar.Header{Name: "..", Typeflag: tar.TypeDir}), ".", "leads out"},
		"absolute":     {pack(t, file("/etc/out.yaml", "a: b")), ".", "no valid archive"},
		"a device":     {pack(t, tar.Header{Name: "app/x.yaml", Typeflag: tar.TypeChar}), "app", "no valid archive"},
		"no archive":   {[]byte("hello"), ".", "no valid archive"},
		"cut off":      {pack(t, file("a.yaml", much))[:200], ".", "no valid archive"},
		"much text":    {pack(t, large...), "app", "more than 32 MiB"},
		"path is out":  {pack(t, file("a", "is a file")), "a/../..", "leads out"},
		"path is file": {pack(t, file("app.yaml", "is: file")), "app.yaml", "no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			got := look(t, tc.content, tc.dir)
			if got.Known || !strings.Contains(got.Reason, tc.want) || len(got.Values) != 0 {
				t.Errorf("want a refusal with %q, got %+v", tc.want, got)
			}
			if strings.Contains(got.Reason, "unguessable") {
				t.Errorf("the reason shows the URL: %s", got.Reason)
			}
		})
	}
}
