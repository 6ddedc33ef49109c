// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/artifact/storage"
	"github.com/fluxcd/pkg/sourceignore"
	"github.com/google/go-cmp/cmp"
)

// memory is a tree in memory; ID holds the bytes of each entry.
type memory []Entry

func (m memory) Entries() []Entry { return m }

func (m memory) Copy(w io.Writer, entry Entry) error {
	_, err := io.WriteString(w, entry.ID)
	return err
}

func file(path, content string) Entry {
	return Entry{Path: path, Size: int64(len(content)), ID: content}
}

func link(path, target string) Entry {
	return Entry{Path: path, Kind: Symlink, Size: int64(len(target)), ID: target}
}

func executable(path, content string) Entry {
	entry := file(path, content)
	entry.Kind = Executable
	return entry
}

// fluxArchive is the oracle: the tree written to disk and packed by the library
// that Flux itself packs with.
func fluxArchive(t *testing.T, tree memory, ignore *string) []byte {
	t.Helper()
	dir := t.TempDir()
	for _, entry := range tree {
		target := filepath.Join(dir, entry.Path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch entry.Kind {
		case Folder:
			err = os.MkdirAll(target, 0o755)
		case Symlink:
			err = os.Symlink(entry.ID, target)
		case Executable:
			err = os.WriteFile(target, []byte(entry.ID), 0o755)
		default:
			err = os.WriteFile(target, []byte(entry.ID), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	store := storage.Storage{BasePath: t.TempDir(), Hostname: "localhost"}
	domain := strings.Split(dir, string(filepath.Separator))
	patterns, err := sourceignore.LoadIgnorePatterns(dir, domain)
	if err != nil {
		t.Fatal(err)
	}
	if ignore != nil {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(*ignore), domain)...)
	}
	artifact := meta.Artifact{Path: "a.tar.gz"}
	if err := store.Archive(&artifact, dir, storage.SourceIgnoreFilter(patterns, domain)); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(store.LocalPath(artifact))
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func names(t *testing.T, packed []byte) []string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	reader := tar.NewReader(unzipped)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, header.Name)
	}
}

func TestWriteMatchesFlux(t *testing.T) {
	long := strings.Repeat("long-folder-name/", 8) + strings.Repeat("n", 120) + ".yaml"
	base := memory{
		file("apps/api.yaml", "kind: Deployment\n"),
		file("apps.yaml", "kind: List\n"), // sorts after the folder apps, although '.' < '/'
		file("apps-b/x.yaml", ""),
		executable("hack/build.sh", "#!/bin/sh\n"),
		link("latest", "apps"),
		link("only/links/here", "/etc/passwd"),
		file("a/.gitignore", "*\n"),
		file(".gitattributes", "* eol=crlf export-ignore\n"),
		file("docs/logo.png", "PNG"),
		file(".github/workflows/ci.yml", "on: push\n"),
		file("ünïcode/näme.yaml", "a: ü\n"),
		file(long, "deep\n"),
		{Path: "vendor/sub", Kind: Folder},
	}
	text := func(s string) *string { return &s }
	tests := map[string]struct {
		reason string
		add    memory
		ignore *string
	}{
		"defaults":             {reason: "no pattern anywhere: Flux's defaults apply"},
		"spec.ignore":          {reason: "one pattern switches the defaults off", ignore: text("/docs\n")},
		"spec.ignore empty":    {reason: "an empty text has no pattern", ignore: text("")},
		"comment only":         {reason: "comments are no patterns", ignore: text("# nothing\n\n")},
		"root file":            {reason: "a .sourceignore at the root", add: memory{file(".sourceignore", "*.yaml\n!apps.yaml\n")}},
		"nested file":          {reason: "patterns hold in their folder", add: memory{file("apps/.sourceignore", "/api.yaml\n"), file("other/api.yaml", "x")}},
		"deeper wins":          {reason: "a deeper file is read later", add: memory{file(".sourceignore", "*.yaml\n"), file("apps/.sourceignore", "!*.yaml\n")}},
		"spec wins":            {reason: "spec.ignore is read last", add: memory{file(".sourceignore", "*.yaml\n")}, ignore: text("!api.yaml\n")},
		"child of excluded":    {reason: "an excluded folder does not stop the walk", ignore: text("/*\n!/apps/api.yaml\n")},
		"linked ignore file":   {reason: "a link inside the tree is followed", add: memory{link(".sourceignore", "conf/ignore"), file("conf/ignore", "docs/\n")}},
		"dangling ignore file": {reason: "a link to nothing is no ignore file", add: memory{link(".sourceignore", "conf/none")}},
		"ignore folder":        {reason: "a folder of that name is no ignore file", add: memory{file(".sourceignore/x", "docs/\n")}},
		"crlf":                 {reason: "line ends of the other kind", add: memory{file(".sourceignore", "docs/\r\n*.md\r\n")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tree := slices.Concat(base, tc.add)
			want := fluxArchive(t, tree, tc.ignore)
			var got bytes.Buffer
			if _, err := Write(&got, tree, Options{Ignore: tc.ignore, Flux: true}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(names(t, want), names(t, got.Bytes())); diff != "" {
				t.Fatalf("%s: other entries (-flux +ours):\n%s", tc.reason, diff)
			}
			if !bytes.Equal(want, got.Bytes()) {
				t.Errorf("%s: same entries, other bytes", tc.reason)
			}
			got.Reset()
			if _, err := Write(&got, tree, Options{Ignore: tc.ignore}); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(unzip(t, want), unzip(t, got.Bytes())) {
				t.Errorf("%s: another tar", tc.reason)
			}
		})
	}
}

func TestReport(t *testing.T) {
	tree := memory{file("a.yaml", "12345"), file("docs/b.png", "123"), link("c", "a.yaml")}
	got, err := WriteTar(io.Discard, tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Report{Files: 1, Bytes: 5, Links: 1, Ignored: 1}, got); diff != "" {
		t.Errorf("the folder docs is packed, the picture ignored, the link left out (-want +got):\n%s", diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := map[string]struct {
		reason string
		tree   memory
		err    error
	}{
		"parent":           {"would be unpacked beside the target", memory{file("../evil", "x")}, ErrHostile},
		"inner parent":     {"same, hidden", memory{file("a/../../evil", "x")}, ErrHostile},
		"absolute":         {"an empty first component", memory{file("/etc/cron.d/evil", "x")}, ErrHostile},
		"dot":              {"names the folder itself", memory{file("a/./b", "x")}, ErrHostile},
		"repository":       {"would plant a hook where it is unpacked", memory{file("a/.GIT/hooks/post-checkout", "x")}, ErrHostile},
		"twice":            {"which one counts would depend on the reader", memory{file("a", "x"), file("a", "y")}, ErrHostile},
		"file and folder":  {"a link first and a folder then writes through the link", memory{link("a", "/etc"), file("a/passwd", "x")}, ErrHostile},
		"ignore outside":   {"would read the controller's own disk", memory{link(".sourceignore", "../../etc/passwd")}, ErrIgnoreFile},
		"ignore absolute":  {"same", memory{link("a/.sourceignore", "/etc/passwd")}, ErrIgnoreFile},
		"ignore loop":      {"would never end", memory{link(".sourceignore", "b"), link("b", ".sourceignore")}, ErrIgnoreFile},
		"ignore via link":  {"is not resolved, and must not be skipped in silence", memory{link(".sourceignore", "d/i"), link("d", "e"), file("e/i", "*")}, ErrIgnoreFile},
		"ignore too large": {"a pattern file is read into memory", memory{{Path: ".sourceignore", Size: maxIgnoreFile + 1}}, ErrIgnoreFile},
		"too large":        {"the limit is on what would be packed", memory{file("a", strings.Repeat("x", 101))}, ErrTooLarge},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Write(io.Discard, tc.tree, Options{MaxBytes: 100}); !errors.Is(err, tc.err) {
				t.Errorf("%s: got %v, want kind %v", tc.reason, err, tc.err)
			}
		})
	}
	t.Run("ignored files do not count", func(t *testing.T) {
		ignore := "big"
		if _, err := Write(io.Discard, memory{file("big", strings.Repeat("x", 101))}, Options{MaxBytes: 100, Ignore: &ignore}); err != nil {
			t.Errorf("a file that stays out was counted: %v", err)
		}
	})
}
