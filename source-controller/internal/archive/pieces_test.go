// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// known is a memory tree that knows digests, and counts what is read.
type known struct {
	memory
	read map[string]int
}

func knowing(m memory) known {
	m = slices.Clone(m)
	for i := range m {
		m[i].Digest = fmt.Sprintf("digest of %q", m[i].ID)
	}
	return known{memory: m, read: map[string]int{}}
}

func (k known) Copy(w io.Writer, entry Entry) error {
	k.read[entry.Path]++
	return k.memory.Copy(w, entry)
}

// forest is a tree of many files, the same in every run.
func forest(files int) memory {
	random := rand.New(rand.NewPCG(1, 2))
	var m memory
	for i := range files {
		var text strings.Builder
		for text.Len() < int(random.Uint32N(8000)) {
			fmt.Fprintf(&text, "line %d\n", random.Uint32())
		}
		m = append(m, file(fmt.Sprintf("apps/%03d/file-%04d.yaml", i%97, i), text.String()))
	}
	return append(m, file("big.bin", strings.Repeat("0123456789abcdef", 5<<20/16)), file(strings.Repeat("l", 130), "long name"), file("ü", "x"))
}

func packed(t *testing.T, tree Tree, donor *Donor) ([]byte, Report) {
	t.Helper()
	var out bytes.Buffer
	report, err := Write(&out, tree, Options{Donor: donor})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), report
}

func plain(t *testing.T, tree Tree) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := WriteTar(&out, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unzip(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func donorOf(packed []byte) *Donor { return NewDonor(bytes.NewReader(packed), int64(len(packed))) }

// TestOneFileChanged: what did not change is neither read nor compressed again,
// and the bytes are those that are made without a donor.
func TestOneFileChanged(t *testing.T) {
	before := knowing(forest(600))
	first, _ := packed(t, before, nil)
	if !bytes.Equal(unzip(t, first), plain(t, before)) {
		t.Fatal("the pieces are not the tar")
	}
	changes := map[string]struct {
		reason string
		change func(memory) memory
	}{
		"edited":  {"the group of the file", func(m memory) memory { m[300] = file(m[300].Path, "changed"); return m }},
		"added":   {"groups end by the names of their own entries", func(m memory) memory { return append(m, file("apps/044/new.yaml", "new")) }},
		"removed": {"same", func(m memory) memory { return slices.Delete(m, 500, 501) }},
		"mode":    {"a header changed, the content did not", func(m memory) memory { m[10].Kind = Executable; return m }},
		"same":    {"nothing", func(m memory) memory { return m }},
	}
	for name, tc := range changes {
		t.Run(name, func(t *testing.T) {
			after := knowing(tc.change(slices.Clone(before.memory)))
			alone, _ := packed(t, after, nil)
			clear(after.read)
			got, report := packed(t, after, donorOf(first))
			if !bytes.Equal(alone, got) {
				t.Fatal("a donor changes the bytes")
			}
			if len(after.read) > 300 || after.read["big.bin"] > 0 {
				t.Errorf("%d of %d files are read, the large one %d times; %s", len(after.read), len(after.memory), after.read["big.bin"], tc.reason)
			}
			if report.Reused < int64(len(got))/2 {
				t.Errorf("%d of %d bytes are copied; %s", report.Reused, len(got), tc.reason)
			}
			if !bytes.Equal(unzip(t, got), plain(t, after)) {
				t.Error("the pieces are not the tar")
			}
		})
	}
}

// TestDonorsThatAreNone: an archive of another kind, a damaged or a cut one
// costs work and nothing else.
func TestDonorsThatAreNone(t *testing.T) {
	tree := knowing(forest(100))
	want, _ := packed(t, tree, nil)
	flux := fluxArchive(t, tree.memory, nil)
	tests := map[string]struct {
		reason string
		donor  []byte
	}{
		"flux's":   {"it has one member without a key", flux},
		"empty":    {"nothing was stored", nil},
		"rubbish":  {"whatever stood there", bytes.Repeat([]byte("Hf"), 1000)},
		"cut off":  {"a crash in the middle", want[:len(want)/3]},
		"too long": {"something after the end", append(slices.Clone(want), "more"...)},
	}
	for at := range 7 {
		damaged := slices.Clone(want)
		damaged[(at*2+1)*len(want)/15] ^= 0x40
		tests[fmt.Sprintf("damaged at %d/7", at)] = struct {
			reason string
			donor  []byte
		}{"a bit flipped on the disk", damaged}
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got, _ := packed(t, tree, donorOf(tc.donor)); !bytes.Equal(want, got) {
				t.Errorf("%s: other bytes", tc.reason)
			}
		})
	}
}

// TestUnknownDigests: a tree that does not know what its entries hold is packed
// anew each time.
func TestUnknownDigests(t *testing.T) {
	tree := forest(50)
	first, _ := packed(t, tree, nil)
	tree[3] = Entry{Path: tree[3].Path, Size: tree[3].Size, ID: strings.Repeat("x", int(tree[3].Size))}
	got, report := packed(t, tree, donorOf(first))
	if report.Reused != 0 || !bytes.Equal(unzip(t, got), plain(t, tree)) {
		t.Errorf("%d bytes are copied on trust", report.Reused)
	}
}

// TestWhatDoesNotShrink: bytes that are compressed already are stored as they
// are, between others that shrink, and read as one tar.
func TestWhatDoesNotShrink(t *testing.T) {
	noise := make([]byte, 5<<20)
	_, _ = rand.NewChaCha8([32]byte{9}).Read(noise)
	tree := knowing(memory{file("a.yaml", strings.Repeat("a: 1\n", 100_000)), file("b.png.txt", string(noise)), file("c.yaml", strings.Repeat("c: 1\n", 100_000))})
	got, _ := packed(t, tree, nil)
	again, report := packed(t, tree, donorOf(got))
	if !bytes.Equal(unzip(t, got), plain(t, tree)) || !bytes.Equal(got, again) || report.Reused == 0 {
		t.Errorf("other bytes, or nothing copied: %+v", report)
	}
	if most := len(noise) + len(noise)/100 + 64<<10; len(got) > most {
		t.Errorf("%d bytes, want at most %d", len(got), most)
	}
}

// FuzzDonor: no bytes of an earlier archive make a wrong one.
func FuzzDonor(f *testing.F) {
	tree := knowing(memory{file("a", "1"), file("b", strings.Repeat("2", 1000)), file("c", "3")})
	var want bytes.Buffer
	if _, err := Write(&want, tree, Options{}); err != nil {
		f.Fatal(err)
	}
	f.Add(want.Bytes())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, donor []byte) {
		if got, _ := packed(t, tree, donorOf(donor)); !bytes.Equal(unzip(t, got), plain(t, tree)) {
			t.Error("another tar")
		}
	})
}
