// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/artifact/storage"
	"github.com/fluxcd/pkg/git"
	"github.com/fluxcd/pkg/git/gogit"
	gitclone "github.com/fluxcd/pkg/git/repository"
	"github.com/fluxcd/pkg/sourceignore"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/revision"
)

// TestSameBytesAsFlux fetches one repository with Flux's own client and library
// and with ours, and compares the revision and the artifact byte for byte.
func TestSameBytesAsFlux(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	files := map[string]string{
		".gitattributes":            "*.txt text eol=crlf\nsecret export-ignore\nversion.yaml export-subst\n",
		".sourceignore":             "*.md\n",
		"charts/api/.sourceignore":  "!KEEP.md\n/ci\n",
		"charts/api/Chart.yaml":     "name: api\n",
		"charts/api/KEEP.md":        "kept\n",
		"charts/api/ci/values.yaml": "x: 1\n",
		"charts/api.yaml":           "sorts after the folder\n",
		"crlf.txt":                  "one\r\ntwo\n",
		"empty":                     "",
		"README.md":                 "left out\n",
		"secret":                    "packed, since nothing here obeys export-ignore\n",
		"version.yaml":              "rev: $Format:%H$\n",
		"ünïcode/näme.yaml":         "a: ü\n",
	}
	for path, content := range files {
		repository.Write(t, path, content, 0o644)
	}
	repository.Write(t, "hack/run.sh", "#!/bin/sh\n", 0o755)
	repository.Link(t, "link.yaml", "charts/api.yaml")
	repository.Link(t, "out", "/etc/passwd")
	repository.Link(t, "links/only", "../empty")
	commit := repository.Commit(t, "everything that differs between a tree and a checkout", nil)
	repository.Git(t, "update-index", "--add", "--cacheinfo", "160000,"+commit+",vendor/module")
	repository.Git(t, "commit", "--quiet", "-m", "with a submodule that is not fetched")
	repository.Push(t, "HEAD", "refs/heads/main")

	wantRevision, want := fluxBytes(t, server.URL+"/r.git", "main")

	m := openMirrors(t, nil)
	remote := Remote{Address: server.Address(t, "r.git")}
	tree, err := m.Checkout(t.Context(), remote, reference.Choice{Ref: "refs/heads/main", Commit: strings.Repeat("0", 40)}, time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var got, row bytes.Buffer
	report, err := archive.Write(&got, tree, archive.Options{Flux: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write(&row, tree, archive.Options{}); err != nil {
		t.Fatal(err)
	}
	if ours := (revision.Revision{Name: "main", Hash: tree.Commit().Hash}).String(); ours != wantRevision {
		t.Errorf("revision: got %s, Flux has %s", ours, wantRevision)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Errorf("other bytes than Flux: %d, want %d (report %+v)", got.Len(), len(want), report)
	}
	if !bytes.Equal(unzipped(t, want), unzipped(t, row.Bytes())) {
		t.Error("our own compression holds another tar than Flux's")
	}
	if report.Links != 3 {
		t.Errorf("three links are left out, the report has %d", report.Links)
	}
}

func unzipped(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return tarball
}

// fluxBytes clones and packs as Flux's controller does.
func fluxBytes(t *testing.T, address, branch string) (rev string, packed []byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	client, err := gogit.NewClient(dir, &git.AuthOptions{Transport: git.HTTP}, gogit.WithDiskStorage())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	commit, err := client.Clone(t.Context(), address, gitclone.CloneConfig{
		ShallowClone:     true,
		CheckoutStrategy: gitclone.CheckoutStrategy{Branch: branch},
	})
	if err != nil {
		t.Fatal(err)
	}
	domain := strings.Split(dir, string(filepath.Separator))
	patterns, err := sourceignore.LoadIgnorePatterns(dir, domain)
	if err != nil {
		t.Fatal(err)
	}
	store := storage.Storage{BasePath: t.TempDir(), Hostname: "localhost"}
	artifact := meta.Artifact{Path: "a.tar.gz"}
	if err := store.Archive(&artifact, dir, storage.SourceIgnoreFilter(patterns, domain)); err != nil {
		t.Fatal(err)
	}
	packed, err = os.ReadFile(store.LocalPath(artifact))
	if err != nil {
		t.Fatal(err)
	}
	return commit.String(), packed
}
