// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package layer

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// entry is a header and its content.
type entry struct {
	tar.Header
	body string
}

func file(name, body string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(body))}, body}
}

func special(name string, kind byte, target string) entry {
	return entry{Header: tar.Header{Name: name, Typeflag: kind, Linkname: target, Mode: 0o755}}
}

func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := tar.NewWriter(&packed)
	for _, e := range entries {
		if err := writer.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(writer, e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func zipped(t testing.TB, raw []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write(raw)
	if err = errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func scratch(t testing.TB) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// contents gives what a tree holds; a folder is a path with a slash, an
// executable one with a star.
func contents(t *testing.T, tree *Tree) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, e := range tree.Entries() {
		var body strings.Builder
		name := e.Path
		switch e.Kind {
		case archive.Folder:
			got[name+"/"] = ""
			continue
		case archive.Executable:
			name += "*"
		}
		if err := tree.Copy(&body, e); err != nil {
			t.Fatal(err)
		}
		got[name] = body.String()
	}
	return got
}

func TestUnpack(t *testing.T) {
	executable := file("run.sh", "#!")
	executable.Mode = 0o755
	raw := pack(t, special("./", tar.TypeDir, ""), file("./a/b.yaml", "b"), executable)
	var zst bytes.Buffer
	encoder, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encoder.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	plain := map[string]string{"a/b.yaml": "b", "run.sh*": "#!"}
	tests := map[string]struct {
		reason string
		stream []byte
		want   map[string]string
	}{
		"gzip":            {"what Flux pushes", zipped(t, raw), plain},
		"zstd":            {"newer images", zst.Bytes(), plain},
		"no compression":  {"media types are often wrong about it", raw, plain},
		"last one counts": {"as when it is unpacked", pack(t, file("a", "old"), file("a", "new")), map[string]string{"a": "new"}},
		"symbolic link":   {"left out, and nothing goes through it", pack(t, special("l", tar.TypeSymlink, "/etc"), file("l/passwd", "x")), map[string]string{"l/passwd": "x"}},
		"hard link":       {"the same bytes, not an empty file", pack(t, file("a", "x"), special("b", tar.TypeLink, "a")), map[string]string{"a": "x", "b": "x"}},
		"empty folder":    {"is kept; one that holds something follows from that", pack(t, special("e/", tar.TypeDir, ""), special("f/", tar.TypeDir, ""), file("f/x", "")), map[string]string{"e/": "", "f/x": ""}},
		"repository":      {"nobody wants one planted", pack(t, file(".git/hooks/post-checkout", "x"), file("a/.GIT", "x"), file(".gitignore", "y")), map[string]string{".gitignore": "y"}},
		"global header":   {"is about others", pack(t, entry{Header: tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": "c"}}}, file("a", "x")), map[string]string{"a": "x"}},
		"odd names":       {"allowed on disk", pack(t, file("a\nb", "x"), file("-rf", "y"), file("ü", "z")), map[string]string{"a\nb": "x", "-rf": "y", "ü": "z"}},
		"nothing":         {"an archive without an entry", pack(t), map[string]string{}},
		"whiteout":        {"one layer says nothing about those below", pack(t, file(".wh.a", "")), map[string]string{".wh.a": ""}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tree, err := Unpack(bytes.NewReader(tc.stream), scratch(t), Limits{Bytes: 1 << 20, Entries: 100})
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, contents(t, tree)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if _, err := archive.Write(io.Discard, tree, archive.Options{}); err != nil {
				t.Errorf("%s: it cannot be packed again: %v", tc.reason, err)
			}
		})
	}
}

func TestUnpackRefuses(t *testing.T) {
	huge := entry{Header: tar.Header{Name: "sparse", Typeflag: tar.TypeReg, Size: 1 << 40}}
	var claims bytes.Buffer
	writer := tar.NewWriter(&claims)
	if err := writer.WriteHeader(&huge.Header); err != nil {
		t.Fatal(err)
	}
	var many []entry
	for range 11 {
		many = append(many, special("l", tar.TypeSymlink, "x"))
	}
	whole := zipped(t, pack(t, file("a", strings.Repeat("x", 1000))))
	tests := map[string]struct {
		reason string
		stream []byte
		err    error
	}{
		"parent":           {"would leave the folder", pack(t, file("../evil", "x")), archive.ErrHostile},
		"inner parent":     {"same, hidden", pack(t, file("a/../../evil", "x")), archive.ErrHostile},
		"ends in parent":   {"same", pack(t, file("a/..", "x")), archive.ErrHostile},
		"absolute":         {"would write where it says", pack(t, file("/etc/cron.d/evil", "x")), archive.ErrHostile},
		"backslash":        {"another system's separator", pack(t, file(`a\..\b`, "x")), archive.ErrHostile},
		"device":           {"nothing to read in it", pack(t, special("null", tar.TypeChar, "")), archive.ErrHostile},
		"pipe":             {"would hang who reads it", pack(t, special("p", tar.TypeFifo, "")), archive.ErrHostile},
		"link out":         {"would take a file of ours along", pack(t, special("p", tar.TypeLink, "/etc/passwd")), archive.ErrHostile},
		"link to nothing":  {"no bytes", pack(t, special("p", tar.TypeLink, "later"), file("later", "x")), archive.ErrHostile},
		"link to a folder": {"no bytes either", pack(t, special("d/", tar.TypeDir, ""), special("p", tar.TypeLink, "d")), archive.ErrHostile},
		"file and folder":  {"which one counts would depend on the reader", pack(t, file("a", "x"), special("a/", tar.TypeDir, "")), archive.ErrHostile},
		"too large":        {"the limit is on what is unpacked", pack(t, file("a", strings.Repeat("x", 600)), file("b", strings.Repeat("x", 600))), archive.ErrTooLarge},
		"links add up":     {"each would be packed", pack(t, file("a", strings.Repeat("x", 600)), special("b", tar.TypeLink, "a")), archive.ErrTooLarge},
		"bomb":             {"a thousand to one", zipped(t, pack(t, file("a", strings.Repeat("\x00", 4<<20)))), archive.ErrTooLarge},
		"claims much":      {"before a byte of it is read", claims.Bytes(), archive.ErrTooLarge},
		"many entries":     {"links count too", pack(t, many...), archive.ErrTooLarge},
		"no archive":       {"text", []byte(strings.Repeat("kind: List\n", 100)), ErrFormat},
		"broken zip":       {"breaks off", whole[:len(whole)/2], ErrFormat},
		"zip of nothing":   {"a header alone", whole[:5], ErrFormat},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Unpack(bytes.NewReader(tc.stream), scratch(t), Limits{Bytes: 1000, Entries: 10}); !errors.Is(err, tc.err) {
				t.Errorf("%s: got %v, want kind %v", tc.reason, err, tc.err)
			}
		})
	}
}

// TestUnpackKeepsTheStreamsOwnError: a registry that fails is not an archive
// that is broken.
func TestUnpackKeepsTheStreamsOwnError(t *testing.T) {
	own := errors.New("of the stream")
	raw := zipped(t, pack(t, file("a", strings.Repeat("x", 100_000))))
	stream := io.MultiReader(bytes.NewReader(raw[:20]), failing{own})
	if _, err := Unpack(stream, scratch(t), Limits{}); !errors.Is(err, own) || errors.Is(err, ErrFormat) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, file("a", "x"), special("b", tar.TypeLink, "a"), special("d/", tar.TypeDir, "")))
	f.Add(zipped(f, pack(f, file("a/../b", "x"))))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		tree, err := Unpack(bytes.NewReader(raw), scratch(t), Limits{Bytes: 1 << 20, Entries: 100})
		if err != nil {
			return
		}
		// What was unpacked can be packed, or is refused there; it never panics.
		_, _ = archive.Write(io.Discard, tree, archive.Options{MaxBytes: 1 << 20})
		for _, e := range tree.Entries() {
			if strings.HasPrefix(e.Path, "/") || strings.Contains("/"+e.Path+"/", "/../") {
				t.Errorf("the path %q leaves the tree", e.Path)
			}
		}
	})
}
