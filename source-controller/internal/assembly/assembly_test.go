// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package assembly

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// files is a tree by path: content, or a kind in angle brackets.
type files map[string]string

func (f files) Entries() []archive.Entry {
	var entries []archive.Entry
	for _, path := range slices.Sorted(maps.Keys(f)) {
		entry := archive.Entry{Path: path, Size: int64(len(f[path])), ID: path}
		switch f[path] {
		case "<folder>":
			entry.Kind, entry.Size = archive.Folder, 0
		case "<link>":
			entry.Kind = archive.Symlink
		}
		entries = append(entries, entry)
	}
	return entries
}

func (f files) Copy(w io.Writer, entry archive.Entry) error {
	_, err := io.WriteString(w, f[entry.Path])
	return err
}

// content reads a tree back, through the packer: what it refuses is no tree.
func content(t *testing.T, tree archive.Tree) files {
	t.Helper()
	var packed bytes.Buffer
	if _, err := archive.WriteTar(&packed, tree, archive.Options{}); err != nil {
		t.Fatal(err)
	}
	got := files{}
	for reader := tar.NewReader(&packed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			got[header.Name] = string(text)
		}
	}
}

func TestSparse(t *testing.T) {
	tree := files{"app/a": "1", "app/b/c": "2", "apps/d": "3", "app.yaml": "4", "other/e": "5", "root": "6"}
	tests := map[string]struct {
		reason string
		paths  []string
		want   files
		kind   error
	}{
		"a folder":        {"with a slash it is one", []string{"app/"}, files{"app/a": "1", "app/b/c": "2"}, nil},
		"a prefix":        {"without one it is the beginning of paths", []string{"app"}, files{"app/a": "1", "app/b/c": "2", "apps/d": "3", "app.yaml": "4"}, nil},
		"two":             {"each exists", []string{"other", "./apps"}, files{"apps/d": "3", "other/e": "5"}, nil},
		"a deep one":      {"below a folder", []string{"app/b"}, files{"app/b/c": "2"}, nil},
		"a missing one":   {"an artifact without it is another one than was asked for", []string{"other", "none"}, nil, ErrMissing},
		"not a prefix":    {"half a name is no path", []string{"oth"}, nil, ErrMissing},
		"out of the tree": {"stays inside, and is not there", []string{"../../etc"}, nil, ErrMissing},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Sparse(tree, tc.paths)
			if !errors.Is(err, tc.kind) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if err == nil {
				if diff := cmp.Diff(tc.want, content(t, got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestJoin(t *testing.T) {
	base := files{"a": "base", "dir/b": "base", "empty": "<folder>", "nest/empty": "<folder>", "link": "<link>"}
	other := files{"x": "part", "y/z": "part", "y/w": "part"}
	tests := map[string]struct {
		reason string
		parts  []Part
		want   files
		kind   error
	}{
		"whole":        {"to a new folder", []Part{{Tree: other, From: "", To: "new"}}, files{"a": "base", "dir/b": "base", "new/x": "part", "new/y/z": "part", "new/y/w": "part"}, nil},
		"folder":       {"of the part, to a deep place", []Part{{Tree: other, From: "./y", To: "dir/sub"}}, files{"a": "base", "dir/b": "base", "dir/sub/z": "part", "dir/sub/w": "part"}, nil},
		"file":         {"alone", []Part{{Tree: other, From: "y/z", To: "one.txt"}}, files{"a": "base", "dir/b": "base", "one.txt": "part"}, nil},
		"over a file":  {"a file replaces a file", []Part{{Tree: other, From: "x", To: "a"}}, files{"a": "part", "dir/b": "base"}, nil},
		"over nothing": {"an empty folder gives way", []Part{{Tree: other, From: "y", To: "empty"}}, files{"a": "base", "dir/b": "base", "empty/z": "part", "empty/w": "part"}, nil},
		"below empty":  {"an empty folder gets its first file", []Part{{Tree: other, From: "y", To: "nest/empty/deep"}}, files{"a": "base", "dir/b": "base", "nest/empty/deep/z": "part", "nest/empty/deep/w": "part"}, nil},
		"in a part":    {"one after the other", []Part{{Tree: other, From: "", To: "new"}, {Tree: other, From: "x", To: "new/more"}}, files{"a": "base", "dir/b": "base", "new/x": "part", "new/y/z": "part", "new/y/w": "part", "new/more": "part"}, nil},
		"submodule":    {"its folder has the file of a checkout", []Part{{Tree: other, From: "y", To: "empty", GitFile: "g"}}, files{"a": "base", "dir/b": "base", "empty/z": "part", "empty/w": "part", "empty/.git": "g"}, nil},
		"empty module": {"the file alone", []Part{{Tree: files{}, To: "empty", GitFile: "g"}}, files{"a": "base", "dir/b": "base", "empty/.git": "g"}, nil},
		"empty part":   {"leaves a folder", []Part{{Tree: files{}, From: "", To: "void"}}, files{"a": "base", "dir/b": "base"}, nil},
		"climbs":       {"paths are read as below the root", []Part{{Tree: other, From: "../../x", To: "../../up"}}, files{"a": "base", "dir/b": "base", "up": "part"}, nil},
		"missing":      {"nothing to put there", []Part{{Tree: other, From: "none", To: "new"}}, nil, ErrMissing},
		"occupied":     {"a folder with files", []Part{{Tree: other, From: "", To: "dir"}}, nil, ErrOccupied},
		"dir on file":  {"kinds differ", []Part{{Tree: other, From: "", To: "a"}}, nil, ErrOccupied},
		"file on dir":  {"kinds differ", []Part{{Tree: other, From: "x", To: "empty"}}, nil, ErrOccupied},
		"below a file": {"no folder there", []Part{{Tree: other, From: "x", To: "a/b"}}, nil, ErrOccupied},
		"root":         {"is not empty", []Part{{Tree: other, From: "", To: "."}}, nil, ErrOccupied},
		"link":         {"could lead anywhere", []Part{{Tree: other, From: "x", To: "link/y"}}, nil, ErrIllegal},
		"on a link":    {"same", []Part{{Tree: other, From: "x", To: "link"}}, nil, ErrIllegal},
		".git":         {"would plant a repository", []Part{{Tree: other, From: "", To: "dir/.GIT"}}, nil, ErrIllegal},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Join(base, tc.parts...)
			if !errors.Is(err, tc.kind) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if err == nil {
				if diff := cmp.Diff(tc.want, content(t, got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestUnpack(t *testing.T) {
	var packed bytes.Buffer
	if _, err := archive.Write(&packed, files{"a": "1", "d/b": "22", "d/empty": "<folder>"}, archive.Options{Flux: true}); err != nil {
		t.Fatal(err)
	}
	whole := packed.Bytes()
	unpacked, err := Unpack(bytes.NewReader(whole), Limits{Bytes: 3, Files: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer unpacked.Close()
	if diff := cmp.Diff(files{"a": "1", "d/b": "22"}, content(t, unpacked)); diff != "" {
		t.Error(diff)
	}
	var again bytes.Buffer
	if _, err := archive.Write(&again, unpacked, archive.Options{Flux: true}); err != nil || !bytes.Equal(whole, again.Bytes()) {
		t.Errorf("packed again it differs: %v", err)
	}
	tests := map[string]struct {
		reason string
		packed []byte
		limits Limits
	}{
		"bytes":    {"a bomb", whole, Limits{Bytes: 2}},
		"files":    {"a million names", whole, Limits{Files: 2}},
		"cut":      {"half a tarball", whole[:len(whole)/2], Limits{}},
		"no gzip":  {"something else", []byte("nothing"), Limits{}},
		"a device": {"none of ours holds one", tarOf(t, &tar.Header{Name: "dev", Typeflag: tar.TypeChar}), Limits{}},
		"a link":   {"none of ours holds one", tarOf(t, &tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), Limits{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Unpack(bytes.NewReader(tc.packed), tc.limits); err == nil {
				t.Errorf("%s: was unpacked", tc.reason)
			}
		})
	}
}

func tarOf(t *testing.T, header *tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	tarball := tar.NewWriter(zipped)
	if err := errors.Join(tarball.WriteHeader(header), tarball.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func FuzzUnpack(f *testing.F) {
	var packed bytes.Buffer
	_, _ = archive.Write(&packed, files{"a": "1", "d/b": "22"}, archive.Options{})
	f.Add(packed.Bytes(), "a", "to")
	f.Fuzz(func(t *testing.T, packed []byte, from, to string) {
		unpacked, err := Unpack(bytes.NewReader(packed), Limits{Bytes: 1 << 20, Files: 100})
		if err != nil {
			return
		}
		defer unpacked.Close()
		tree, err := Join(files{"base": "x"}, Part{Tree: unpacked, From: from, To: to})
		if err != nil {
			return
		}
		for _, entry := range tree.Entries() {
			if entry.Path == "" || strings.HasPrefix(entry.Path, "/") || strings.Contains("/"+entry.Path+"/", "/../") {
				t.Errorf("left the tree: %q", entry.Path)
			}
		}
	})
}
